import 'server-only';
import { watchedFiles } from '@/lib/keyspace/own/files';
import { type CatalogProblem, type CatalogText, problemText } from '@/lib/keyspace/own/problems';
import { log } from '@/lib/log';
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

const policies = watchedFiles<LoadedPolicy>('policies', ([path], before) => loadAgain(path!, before));

/** The policy of a file, checked at most once a second. An invalid version leaves the previous one in force. */
export const loadedPolicy = (path: string | null): LoadedPolicy =>
  path === null ? NO_POLICY : policies.of([path]);

/** Makes the next use check the files again, for tests. */
export const recheckPolicies = policies.recheck;
