import 'server-only';
import { createHash } from 'node:crypto';
import { readFile } from '@/lib/keyspace/own/files';
import { CatalogText } from '@/lib/keyspace/own/problems';
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

export const readPolicyFile = (path: string): ReadPolicy => {
  const read = readFile(path);
  return 'source' in read ? readPolicyText(path, read.source) : { content: null, digest: '', ...read };
};
