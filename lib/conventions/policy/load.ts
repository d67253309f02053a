import 'server-only';
import { statSync } from 'node:fs';
import { type CatalogProblem, type CatalogText, problemText } from '@/lib/keyspace/own/problems';
import { log } from '@/lib/log';
import { processWide } from '@/lib/process-wide';
import { SECOND } from '@/lib/time';
import { type PolicyFile, policyFile } from './definition';
import { readPolicyFile } from './read';

/** The latest valid version of a policy file. */
export interface LoadedPolicy {
  /** Absolute; null: the defaults. */
  readonly path: string | null;
  readonly content: PolicyFile;
  /** The digest of the version in force. */
  readonly digest: string;
  /** When the version in force was read, epoch ms. */
  readonly loadedAt: number | null;
  /** Problems of the current file; an earlier version is in force then. */
  readonly problems: readonly CatalogProblem[];
  /** Locates settings in the version in force; null without a file. */
  readonly text: CatalogText | null;
}

const EMPTY = policyFile.parse({});

export const NO_POLICY: LoadedPolicy = {
  path: null,
  content: EMPTY,
  digest: '',
  loadedAt: null,
  problems: [],
  text: null,
};

const CHECK_MS = SECOND;

interface Known {
  policy: LoadedPolicy;
  stamp: string;
  /** By `performance.now()`. */
  checkedAt: number;
}

const known = processWide('policies', () => new Map<string, Known>());

/** Also detects files that an editor replaced, and changes in bind mounts, which raise no events. */
const stampOf = (path: string): string => {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat ? [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join() : 'missing';
  } catch {
    return 'unreadable';
  }
};

/** Reads a policy once. If it has problems, the defaults are in force. */
export const loadPolicy = (path: string): LoadedPolicy => {
  const { content, text, digest } = readPolicyFile(path);
  if (content) return { ...NO_POLICY, path, content, digest, loadedAt: Date.now(), text };
  return { ...NO_POLICY, path, problems: text.problems };
};

const loadAgain = (path: string, before: LoadedPolicy | undefined): LoadedPolicy => {
  const now = loadPolicy(path);
  if (now.problems.length === 0) {
    if (before) log('warn', `The policy was read again: ${path}.`);
    return now;
  }
  const what = before ? 'The new version is not used' : 'The policy is not used';
  log('warn', `${what}:\n${now.problems.map((problem) => `  ${problemText(problem)}`).join('\n')}`);
  return { ...(before ?? now), problems: now.problems };
};

/** The policy of a file, checked at most once a second. An invalid version leaves the previous one in force. */
export const loadedPolicy = (path: string | null): LoadedPolicy => {
  if (path === null) return NO_POLICY;
  const last = known().get(path);
  const now = performance.now();
  if (last && now - last.checkedAt < CHECK_MS) return last.policy;
  const stamp = stampOf(path);
  const policy = last?.stamp === stamp ? last.policy : loadAgain(path, last?.policy);
  known().set(path, { policy, stamp, checkedAt: now });
  return policy;
};

/** Makes the next use check the files again, for tests. */
export const recheckPolicies = (): void => {
  for (const policy of known().values()) policy.checkedAt = Number.NEGATIVE_INFINITY;
};
