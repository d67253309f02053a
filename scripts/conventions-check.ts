// The work of `npm run conventions`, bundled for plain Node.
import { randomBytes } from 'node:crypto';
import { basename, relative } from 'node:path';
import { APP_IDS, type AppId } from '@/lib/apps';
import { catalogOf } from '@/lib/command/context';
import { readEnv } from '@/lib/configuration';
import { checkConventions } from '@/lib/conventions/check';
import { policyFromFile } from '@/lib/conventions/policy/policy';
import type { ConventionsReport } from '@/lib/conventions/schema';
import { loadCatalogs } from '@/lib/keyspace/own/load';
import { type CatalogProblem, problemText } from '@/lib/keyspace/own/problems';
import { type ConnectionHandle, openConnection } from '@/lib/redis/connections';
import { junitOf } from './conventions-junit';
import { FAIL_ON, type FailOn, failuresOf, whyNothingSeen } from './conventions-levels';
import { sarifOf } from './conventions-sarif';
import { textOf } from './conventions-text';

/** The problem of a file or an option: a message for the user. */
class CheckError extends Error {
  readonly code = 'conventions';
}

export interface Check {
  url: string;
  /** Absolute; null: the defaults. */
  policy: string | null;
  apps: readonly AppId[];
  /** Absolute paths of own catalogs. */
  catalogs: readonly string[];
  /** The folder of the call, to which printed paths are relative. */
  cwd: string;
}

/** A connection like the console's, for reading only. There is no store, and nothing is written. */
const connect = ({ url, apps, catalogs }: Check): ConnectionHandle => {
  const own = {
    KEYWARD_CONFIG: '',
    KEYWARD_STORE_URL: '',
    // A walk's progress contains keyed digests, which only this process compares.
    KEYWARD_SECRET_KEY: randomBytes(32).toString('base64'),
  };
  const environment = { ...process.env, ...own, REDIS_URL: url };
  Object.assign(process.env, environment);
  const [main] = readEnv(environment).connections;
  return openConnection({ ...main!, readOnly: true, apps: [...apps], catalogs: [...catalogs] });
};

const nameOf = (path: string, cwd: string): string => {
  const name = relative(cwd, path);
  return name === '' || name.startsWith('..') ? basename(path) : name;
};

const refuse = (problems: readonly CatalogProblem[], { cwd }: Check): void => {
  if (problems.length === 0) return;
  const lines = problems.map((problem) => problemText({ ...problem, file: nameOf(problem.file, cwd) }));
  throw new CheckError(lines.join('\n'));
};

/** Checks a Redis. Throws whatever prevents a report: a policy with problems, an unreachable or unreadable Redis. */
export const check = async (options: Check): Promise<ConventionsReport> => {
  refuse(loadCatalogs(options.catalogs).problems, options);
  const handle = connect(options);
  try {
    const inForce = policyFromFile(options.policy, catalogOf(handle));
    // Families that the catalog lacks are only warnings.
    refuse(inForce.source.problems, options);
    const report = await checkConventions(handle, inForce, { signal: new AbortController().signal });
    const why = whyNothingSeen(report);
    if (why !== null) throw new CheckError(`No key could be read: ${why}`);
    return report;
  } finally {
    handle.topology.close();
  }
};

const FORMATS: Record<string, (report: ConventionsReport, failOn: FailOn) => string> = {
  text: textOf,
  json: (report) => `${JSON.stringify(report, null, 2)}\n`,
  sarif: sarifOf,
  junit: junitOf,
};
export const FORMAT_NAMES = Object.keys(FORMATS);

export const formatted = (report: ConventionsReport, format: string, failOn: FailOn): string =>
  FORMATS[format]!(report, failOn);

export { APP_IDS, FAIL_ON, failuresOf };
