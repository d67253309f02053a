import 'server-only';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { CatalogText } from '@/lib/keyspace/own/problems';
import { MAX_FILE_BYTES } from '@/lib/keyspace/own/yaml-text';
import { type PolicyFile, policyFile } from './definition';

/** One version of a policy file. */
export interface ReadPolicy {
  /** Null where there are problems. */
  readonly content: PolicyFile | null;
  readonly text: CatalogText;
  /** Digest of the bytes; empty where the file could not be read. */
  readonly digest: string;
}

/** Waivers of the same rule and family contradict each other. */
const addDuplicates = ({ waivers }: PolicyFile, text: CatalogText): void => {
  const seen = new Set<string>();
  waivers.forEach(({ rule, family }, i) => {
    const id = `${rule} ${family ?? ''}`;
    if (seen.has(id)) text.add(['waivers', i], 'a second waiver of this rule and family', 'one of each');
    seen.add(id);
  });
};

/** Reads the text of a policy file. Its problems are in `text`. */
export const readPolicyText = (path: string, source: string): ReadPolicy => {
  const text = new CatalogText(path);
  const digest = createHash('sha256').update(source).digest('base64url');
  const parsed = text.parse(source) ?? {};
  if (text.count > 0) return { content: null, text, digest };
  const { data, error } = policyFile.safeParse(parsed, { reportInput: true });
  text.addIssues(error?.issues ?? []);
  if (data) addDuplicates(data, text);
  return { content: text.count > 0 ? null : (data ?? null), text, digest };
};

const unreadable = (path: string, found: string): ReadPolicy => {
  const text = new CatalogText(path);
  text.add([], found, 'a file of at most 1 MiB that can be read, in UTF-8');
  return { content: null, text, digest: '' };
};

export const readPolicyFile = (path: string): ReadPolicy => {
  try {
    const stat = statSync(path);
    // Reading a pipe would not return.
    if (!stat.isFile()) return unreadable(path, 'no file');
    if (stat.size > MAX_FILE_BYTES) return unreadable(path, `${stat.size} bytes`);
    return readPolicyText(path, new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)));
  } catch (error) {
    const { code } = error as { code?: string };
    return unreadable(
      path,
      code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'other bytes' : `nothing (${code})`,
    );
  }
};
