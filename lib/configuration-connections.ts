import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { APP_IDS, type AppId } from './apps';
import { tlsIn } from './configuration-tls';
import { redisUrl } from './configuration-url';
import type { ConfigurationProblem } from './configuration-values';
import * as values from './configuration-values';
import { USER_ROLES } from './permissions';

const { check, duration, integer, isMapping, listOf, mapping, nodes, number, oneOf, orNull } = values;

const ENVIRONMENTS = ['development', 'staging', 'production'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];
export const environment = oneOf(ENVIRONMENTS);
export const apps = listOf(z.enum(APP_IDS), `any of ${APP_IDS.join(', ')}`);
const keyName = values.text('the name of a key, without spaces', /^\S{1,512}$/);
const someText = values.text('a text of 1 to 100 characters', /^[^\r\n]{1,100}$/);
const path = values.text('the path of a file', /^.+$/);
const RESERVED_IDS = ['audit', 'users', 'jobs', 'account', 'api', 'setup', 'sign-in', 'invitation'];

const connectionId = values
  .text('lower-case letters, digits and hyphens, 64 at most', /^[a-z0-9-]{1,64}$/)
  .refine((id) => !RESERVED_IDS.includes(id), `none of the reserved ${RESERVED_IDS.join(', ')}`);

/** The error collector's names and periods, and the limit where no level sets one (0: unlimited). */
export const hawk = mapping({
  disabledProjectsSet: keyName.default('DisabledProjectsSet'),
  blacklistSet: keyName.default('BlacklistIPsSet'),
  allIpsMap: keyName.default('AllIPsMap'),
  currentPeriodMap: keyName.default('CurrentPeriodMap'),
  threshold: integer(1, Number.MAX_SAFE_INTEGER).default(10_000),
  blacklistPeriod: duration.default(15_000),
  blockedPeriod: duration.default(5_000),
  protectedIps: values.networks.default([]),
  eventsLimit: integer(0, Number.MAX_SAFE_INTEGER).default(0),
  eventsPeriod: values.seconds.default(0),
}).transform(({ blacklistPeriod, blockedPeriod, eventsPeriod, ...rest }) => ({
  ...rest,
  blacklistPeriodMs: blacklistPeriod,
  blockedPeriodMs: blockedPeriod,
  eventsPeriodSeconds: eventsPeriod,
}));
export type HawkSettings = z.output<typeof hawk>;

const scan = mapping({
  chunk: integer(1, 1000).default(100),
  pauseMs: number(0, 10_000).default(1),
  maxAddedLatencyMs: number(0, 10_000).default(1),
});

const periods = mapping({
  // A YAML 1.1 writer may write `off` as false.
  sample: values.expecting('one of off', z.literal(['off', false])).optional(),
  everySeconds: number(1, 86_400),
  forSeconds: number(0.1, 60),
}).superRefine(({ everySeconds, forSeconds }, ctx) => {
  if (forSeconds <= everySeconds) return;
  const params = { found: String(forSeconds) };
  ctx.addIssue({ code: 'custom', path: ['forSeconds'], params, message: 'no more than everySeconds' });
});

/** `{ sample: off }`, or the interval and length of samples. */
const hitRates = z
  .preprocess(
    (given) =>
      isMapping(given) && 'sample' in given ? { everySeconds: 60, forSeconds: 1, ...given } : given,
    periods,
  )
  .transform(({ sample, ...sampling }): { sample: 'off' } | typeof sampling =>
    sample === undefined ? sampling : { sample: 'off' },
  );

/** An operationId, or the beginning of some: `guard.*`. Whether there are such operations is checked at the start. */
const operationPattern = z.string().regex(/^[a-z]\w*(\.[a-z]\w*)*\.(\*|[a-z]\w*)$/i);
const operations = listOf(operationPattern, 'a list of operations, such as families.invalidate or guard.*');
const percent = values
  .text('a share such as 10%', /^\d{1,3}%$/)
  .transform((text) => Number(text.slice(0, -1)) / 100);

/** Changes that need approval by a second user: a list of operations, or a mapping with further settings. */
const approvals = z.preprocess(
  (given) => (isMapping(given) || given === undefined ? given : { operations: given }),
  mapping({
    operations: operations.default([]),
    /** A request that nobody decided within this time expires. */
    expiresHours: number(1, 24 * 30).default(24),
    /** By which share the number of things may differ between the request and its approval. */
    bound: percent.default(0.1),
  }).prefault({}),
);

const counts = values.expecting(
  'a mapping of operations to whole numbers',
  z.record(z.string().regex(/^[a-z]\w*(\.[a-z]\w*)+$/i), z.int().min(0).max(Number.MAX_SAFE_INTEGER)),
);
/** The number of things that each role may change at once without approval. */
const limits = mapping(
  Object.fromEntries(USER_ROLES.map((role) => [role, counts.optional()])) as Record<
    (typeof USER_ROLES)[number],
    z.ZodOptional<typeof counts>
  >,
);

/** Flags have a rule of their own, to which `flags.*` is the same as `flags: { approval: two-person }`. */
const FLAGS = 'flags.*';

/** Defaults for every connection, from the environment; a connection's own keys override them. */
export interface ConnectionDefaults {
  environment: Environment;
  apps: AppId[];
  readOnly: boolean;
  /** In the notation of a file. */
  hawk: Record<string, unknown>;
}

/** Checks dependencies between keys; each key by itself has been checked. */
const checkTogether = (given: Record<string, unknown>, ctx: z.RefinementCtx): void => {
  const add = (path: string[], found: string, message: string) =>
    ctx.addIssue({ code: 'custom', path, params: { found }, message });
  const addresses = ['url', 'sentinel', 'cluster'].filter((key) => given[key] !== null);
  if (addresses.length !== 1)
    add([], addresses.join(' and ') || 'no address', 'exactly one of url, sentinel, cluster');
  const { tls, url } = given;
  if (isMapping(tls) && typeof url === 'string' && url.startsWith('redis://'))
    add(['url'], 'redis:// beside a tls section', 'rediss://');
};

const password = orNull(values.text('a text (numbers in quotes)', /^/, { secret: true }));
const natMap = orNull(
  values.expecting('a mapping of host:port to host:port', z.record(values.hostAndPort, values.hostAndPort)),
);

/** Sentinels, and the name they give to the primary. */
const sentinelIn = (folder: string) =>
  mapping({
    name: someText,
    nodes,
    tls: tlsIn(folder),
    natMap,
    username: orNull(someText),
    password,
  });
export type SentinelConfig = z.output<ReturnType<typeof sentinelIn>>;

/** One connection. Relative paths start from `folder`. */
const connectionIn = (folder: string, defaults: ConnectionDefaults) => {
  const readable = values.readableIn(folder);
  const withDefaults = (given: unknown = {}) => (isMapping(given) ? { ...defaults.hawk, ...given } : given);
  return mapping({
    id: connectionId,
    name: someText.optional(),
    environment: environment.default(defaults.environment),
    /** Exactly one of `url`, `sentinel` and `cluster` is set. A `password` overrides the URL's own. */
    url: orNull(redisUrl),
    /** The user of the servers, without a URL; the default user if omitted. */
    username: orNull(someText),
    password,
    /** `password` and `tls` of the Sentinels themselves. `natMap`: the reachable address for each one they report. */
    sentinel: orNull(sentinelIn(folder)),
    /** Any of its nodes; the others are discovered. `natMap`: the reachable address for each one they report. */
    cluster: orNull(mapping({ nodes, natMap })),
    apps: apps.default(defaults.apps),
    /** Absolute paths, like those of `tls`. */
    catalogs: listOf(z.string(), 'a list of paths').pipe(z.array(readable)).default([]),
    /** The team's policy for the conventions: an absolute path. */
    policy: orNull(path.pipe(readable)),
    // KEYWARD_READ_ONLY guarantees that this console changes nothing: a file cannot override it.
    readOnly: values.boolean.default(false).transform((readOnly) => readOnly || defaults.readOnly),
    scan: scan.prefault({}),
    /** Absent: the console asks whether windows may be opened, unless they need no change of settings. */
    hitRates: hitRates.optional(),
    hawk: z.preprocess(withDefaults, hawk),
    flags: mapping({ approval: oneOf(['none', 'two-person']).default('none') }).prefault({}),
    approvals,
    limits: limits.prefault({}),
    tls: tlsIn(folder),
  })
    .superRefine(checkTogether, { when: ({ value }) => isMapping(value) })
    .transform(({ name, flags, approvals, ...connection }) => ({
      ...connection,
      name: name ?? connection.id,
      flags: approvals.operations.includes(FLAGS) ? { approval: 'two-person' as const } : flags,
      approvals: { ...approvals, operations: approvals.operations.filter((each) => each !== FLAGS) },
    }));
};
export type ConnectionConfig = z.output<ReturnType<typeof connectionIn>>;

/** The connections and the problems found in their configuration. */
interface Connections {
  data?: ConnectionConfig[];
  problems: ConfigurationProblem[];
}

/** The values of `<prefix>_TLS_CA`, `_CERT`, `_KEY` and `_SERVERNAME`; undefined without any. */
export const tlsOf = (
  source: Record<string, string | undefined>,
  prefix: string,
): Record<string, string> | undefined => {
  const given = ['ca', 'cert', 'key', 'servername'].flatMap((setting) => {
    const value = source[`${prefix}_TLS_${setting.toUpperCase()}`];
    return value ? [[setting, value]] : [];
  });
  return given.length > 0 ? Object.fromEntries(given) : undefined;
};

/** The one connection of REDIS_URL, called `main`. */
export const connectionFromUrl = (
  source: Record<string, string | undefined>,
  cwd: string,
  defaults: ConnectionDefaults,
): Connections => {
  const { REDIS_URL: url, REDIS_PASSWORD: password } = source;
  const tls = tlsOf(source, 'REDIS');
  const nameOf = ([, key, file]: PropertyKey[]): string =>
    key === 'tls' ? `REDIS_TLS_${String(file ?? 'CERT').toUpperCase()}` : 'REDIS_URL';
  return check(z.array(connectionIn(cwd, defaults)), [{ id: 'main', url, password, tls }], nameOf);
};

/** The parsed file, or the problem that prevents reading it, without quoting from it. */
const parseFile = (file: string): { content?: unknown; problems: ConfigurationProblem[] } => {
  const problem = (found: string, expected: string) => ({ variable: 'KEYWARD_CONFIG', found, expected });
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as { code?: string };
    return { problems: [problem(JSON.stringify(file), `a file that can be read (${code})`)] };
  }
  const document = parseDocument(text);
  const problems = document.errors.map(({ code, linePos }) =>
    problem(`${code} in line ${linePos?.[0].line ?? '?'} of ${file}`, 'YAML or JSON'),
  );
  if (problems.length > 0) return { problems };
  const content: unknown = document.toJS();
  return { content, problems: isMapping(content) ? [] : [problem('something else', 'a mapping')] };
};

/** `KEYWARD_CONFIG connections[0].tls.ca`; an item of a list of values has the list's name. */
const nameInFile = ([first, index, ...keys]: PropertyKey[]): string => {
  if (first !== 'connections') return `KEYWARD_CONFIG.${String(first)}`;
  const connection = index === undefined ? '' : `[${String(index)}]`;
  return [`KEYWARD_CONFIG connections${connection}`, ...keys.filter((key) => typeof key === 'string')].join(
    '.',
  );
};

const uniqueIds = (connections: ({ id: unknown } | null)[], ctx: z.RefinementCtx): void => {
  const ids = connections.map((connection) => connection?.id);
  ids.forEach((id, i) => {
    if (typeof id !== 'string' || ids.indexOf(id) === i) return;
    const params = { found: `${JSON.stringify(id)} again` };
    ctx.addIssue({ code: 'custom', path: [i, 'id'], params, message: 'an id of its own' });
  });
};

/** The connections of a KEYWARD_CONFIG file; relative paths in it start from its folder. */
export const connectionsFromFile = (file: string, defaults: ConnectionDefaults): Connections => {
  const { content, problems } = parseFile(file);
  if (content === undefined) return { problems };
  const list = z
    .array(connectionIn(dirname(file), defaults), 'a list of connections')
    .min(1, 'a list of connections')
    .superRefine(uniqueIds, { when: ({ value }) => Array.isArray(value) });
  const read = check(mapping({ connections: list }), isMapping(content) ? content : {}, nameInFile);
  return { data: read.data?.connections, problems: [...problems, ...read.problems] };
};
