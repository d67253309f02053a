import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseDocument } from 'yaml';
import { APP_IDS, type AppId } from './apps';
import { path, Section } from './env-section';
import * as kinds from './env-values';

const { boolean, duration, integer, listOf, networks, node, number, oneOf, redisUrl, seconds } = kinds;

export type Environment = 'development' | 'staging' | 'production';

/** The error collector's names and periods (003), and the limit where no level sets one (0: unlimited). */
export interface HawkSettings {
  disabledProjectsSet: string;
  blacklistSet: string;
  allIpsMap: string;
  currentPeriodMap: string;
  threshold: number;
  blacklistPeriodMs: number;
  blockedPeriodMs: number;
  protectedIps: string[];
  eventsLimit: number;
  eventsPeriodSeconds: number;
}

export interface ConnectionConfig {
  id: string;
  name: string;
  environment: Environment;
  /** Exactly one of `url`, `sentinel` and `cluster` is set. A `password` wins over the URL's own. */
  url: string | null;
  password: string | null;
  sentinel: { name: string; nodes: string[] } | null;
  cluster: { nodes: string[] } | null;
  apps: AppId[];
  /** Absolute paths. */
  catalogs: string[];
  readOnly: boolean;
  scan: { chunk: number; pauseMs: number; maxAddedLatencyMs: number };
  hitRates: { sample: 'off' } | { everySeconds: number; forSeconds: number };
  hawk: HawkSettings;
  flags: { approval: 'none' | 'two-person' };
  /** Absolute paths. `{}` is TLS with the system's authorities. */
  tls: { ca?: string; cert?: string; key?: string } | null;
}

/** What the environment says for every connection; a connection's own keys win. */
export interface ConnectionDefaults {
  environment: Environment;
  apps: AppId[];
  readOnly: boolean;
  hawk: HawkSettings;
}

type Source = Record<string, string | undefined>;

export const environment = oneOf<Environment>('development', 'staging', 'production');
export const apps = listOf(oneOf<AppId>(...APP_IDS), `any of ${APP_IDS.join(', ')}`);
const keyName = kinds.text('the name of a key, without spaces', /^\S{1,512}$/);
const nodes = listOf(node, 'a list of host:port');
const someText = kinds.text('a text of 1 to 100 characters', /^[^\r\n]{1,100}$/);
const connectionId = kinds.text('lower-case letters, digits and hyphens, 64 at most', /^[a-z0-9-]{1,64}$/);
const RESERVED_IDS = ['audit', 'users', 'jobs', 'account', 'api', 'setup', 'sign-in'];

type HawkKey = keyof HawkSettings;
const HAWK: Record<
  HawkKey,
  { variable: string | null; file: string; kind: kinds.Kind<string | number | string[]> }
> = {
  disabledProjectsSet: { variable: 'REDIS_DISABLED_PROJECT_SET', file: 'disabledProjectsSet', kind: keyName },
  blacklistSet: { variable: 'REDIS_BLACKLIST_IP_SET', file: 'blacklistSet', kind: keyName },
  allIpsMap: { variable: 'REDIS_ALL_IPS_MAP', file: 'allIpsMap', kind: keyName },
  currentPeriodMap: { variable: 'REDIS_CURRENT_PERIOD_MAP', file: 'currentPeriodMap', kind: keyName },
  threshold: {
    variable: 'BLACKLIST_THRESHOLD',
    file: 'threshold',
    kind: integer(1, Number.MAX_SAFE_INTEGER),
  },
  blacklistPeriodMs: { variable: 'BLACKLIST_UPDATE_PERIOD', file: 'blacklistPeriod', kind: duration },
  blockedPeriodMs: { variable: 'BLOCKED_PROJECTS_UPDATE_PERIOD', file: 'blockedPeriod', kind: duration },
  protectedIps: { variable: null, file: 'protectedIps', kind: networks },
  eventsLimit: {
    variable: 'HAWK_EVENTS_LIMIT',
    file: 'eventsLimit',
    kind: integer(0, Number.MAX_SAFE_INTEGER),
  },
  eventsPeriodSeconds: { variable: 'HAWK_EVENTS_PERIOD', file: 'eventsPeriod', kind: seconds },
};

const HAWK_DEFAULTS: HawkSettings = {
  disabledProjectsSet: 'DisabledProjectsSet',
  blacklistSet: 'BlacklistIPsSet',
  allIpsMap: 'AllIPsMap',
  currentPeriodMap: 'CurrentPeriodMap',
  threshold: 10_000,
  blacklistPeriodMs: 15_000,
  blockedPeriodMs: 5_000,
  protectedIps: [],
  eventsLimit: 0,
  eventsPeriodSeconds: 0,
};
const HAWK_KEYS = Object.keys(HAWK) as HawkKey[];

export const hawkFromEnvironment = (findings: kinds.Findings, source: Source): HawkSettings => {
  const read = HAWK_KEYS.map((key) => {
    const { variable, kind } = HAWK[key];
    return [
      key,
      variable ? findings.read(variable, source[variable], kind, HAWK_DEFAULTS[key]) : HAWK_DEFAULTS[key],
    ];
  });
  return Object.fromEntries(read) as unknown as HawkSettings;
};

const hawkOf = (section: Section, defaults: HawkSettings): HawkSettings => {
  const hawk = section.section(
    'hawk',
    HAWK_KEYS.map((key) => HAWK[key].file),
  );
  if (!hawk) return defaults;
  const read = HAWK_KEYS.map((key) => [key, hawk.read(HAWK[key].file, HAWK[key].kind, defaults[key])]);
  return Object.fromEntries(read) as unknown as HawkSettings;
};

const scanOf = (section: Section): ConnectionConfig['scan'] => {
  const scan = section.section('scan', ['chunk', 'pauseMs', 'maxAddedLatencyMs']);
  return {
    chunk: scan?.read('chunk', integer(1, 1000), 100) ?? 100,
    pauseMs: scan?.read('pauseMs', number(0, 10_000), 1) ?? 1,
    maxAddedLatencyMs: scan?.read('maxAddedLatencyMs', number(0, 10_000), 1) ?? 1,
  };
};

const hitRatesOf = (section: Section): ConnectionConfig['hitRates'] => {
  const off = { sample: 'off' } as const;
  const hitRates = section.section('hitRates', ['sample', 'everySeconds', 'forSeconds']);
  if (!hitRates) return off;
  if (hitRates.has('sample')) {
    // A YAML 1.1 writer means `off` by false.
    if (hitRates.raw('sample') !== false) hitRates.read('sample', oneOf('off'), 'off');
    return off;
  }
  const everySeconds = hitRates.need('everySeconds', number(1, 86_400), 60);
  const forSeconds = hitRates.need('forSeconds', number(0.1, 60), 1);
  if (forSeconds > everySeconds) {
    section.findings.add(`${hitRates.label}.forSeconds`, String(forSeconds), 'no more than everySeconds');
  }
  return { everySeconds, forSeconds };
};

const tlsOf = (section: Section, folder: string): ConnectionConfig['tls'] => {
  const tls = section.section('tls', ['ca', 'cert', 'key']);
  if (!tls) return null;
  if (tls.has('cert') !== tls.has('key'))
    section.findings.add(tls.label, 'one of cert and key', 'both or neither');
  const files: NonNullable<ConnectionConfig['tls']> = {};
  for (const key of ['ca', 'cert', 'key'] as const) {
    const file = tls.has(key) ? tls.file(key, folder) : undefined;
    if (file !== undefined) files[key] = file;
  }
  return files;
};

const whereOf = (section: Section, tls: ConnectionConfig['tls']) => {
  const given = ['url', 'sentinel', 'cluster'].filter((key) => section.has(key));
  if (given.length !== 1) {
    section.findings.add(
      section.label,
      given.join(' and ') || 'no address',
      'exactly one of url, sentinel, cluster',
    );
  }
  const url = section.read('url', redisUrl, null);
  if (tls && url?.startsWith('redis://')) {
    section.findings.add(`${section.label}.url`, 'redis:// beside a tls section', 'rediss://');
  }
  const sentinel = section.section('sentinel', ['name', 'nodes']);
  const cluster = section.section('cluster', ['nodes']);
  return {
    url,
    sentinel: sentinel && {
      name: sentinel.need('name', someText, ''),
      nodes: sentinel.need('nodes', nodes, []),
    },
    cluster: cluster && { nodes: cluster.need('nodes', nodes, []) },
  };
};

const CONNECTION_KEYS = [
  ...['id', 'name', 'environment', 'url', 'password', 'sentinel', 'cluster', 'apps', 'catalogs', 'readOnly'],
  ...['scan', 'hitRates', 'hawk', 'flags', 'tls'],
];

const idOf = (section: Section): string => {
  const id = section.need('id', connectionId, '');
  if (RESERVED_IDS.includes(id)) {
    section.findings.add(
      `${section.label}.id`,
      JSON.stringify(id),
      `none of the reserved ${RESERVED_IDS.join(', ')}`,
    );
  }
  return id;
};

const catalogsOf = (section: Section, folder: string): string[] => {
  const given = section.read('catalogs', listOf(path, 'a list of paths'), []);
  return given.map((each) => section.file('catalogs', folder, each)).filter((each) => each !== undefined);
};

const connectionOf = (section: Section, folder: string, defaults: ConnectionDefaults): ConnectionConfig => {
  const id = idOf(section);
  const tls = tlsOf(section, folder);
  const approval = oneOf<'none' | 'two-person'>('none', 'two-person');
  return {
    id,
    name: section.read('name', someText, id),
    environment: section.read('environment', environment, defaults.environment),
    ...whereOf(section, tls),
    password: section.read('password', kinds.text('a text (numbers in quotes)', /^/, true), null),
    apps: section.read('apps', apps, defaults.apps),
    catalogs: catalogsOf(section, folder),
    // KEYWARD_READ_ONLY promises that nothing can be changed through this console: no file takes that back.
    readOnly: section.read('readOnly', boolean, defaults.readOnly) || defaults.readOnly,
    scan: scanOf(section),
    hitRates: hitRatesOf(section),
    hawk: hawkOf(section, defaults.hawk),
    flags: { approval: section.section('flags', ['approval'])?.read('approval', approval, 'none') ?? 'none' },
    tls,
  };
};

/** The one connection of REDIS_URL, called `main`. `url` is already read. */
export const connectionFromUrl = (
  url: string,
  password: string | null,
  defaults: ConnectionDefaults,
): ConnectionConfig => {
  const section = new Section(
    new kinds.Findings(),
    'REDIS_URL',
    { id: 'main', url, password },
    CONNECTION_KEYS,
  );
  return connectionOf(section, '.', defaults);
};

/** The file as plain data, or undefined when it cannot be read (reported, without quoting from it). */
const parseFile = (findings: kinds.Findings, file: string): unknown => {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    findings.add(
      'KEYWARD_CONFIG',
      JSON.stringify(file),
      `a file that can be read (${(error as { code?: string }).code})`,
    );
    return undefined;
  }
  const document = parseDocument(content);
  for (const error of document.errors) {
    const line = error.linePos?.[0].line;
    findings.add('KEYWARD_CONFIG', `${error.code} in line ${line ?? '?'} of ${file}`, 'YAML or JSON');
  }
  return document.errors.length ? undefined : document.toJS();
};

/** The connections of a KEYWARD_CONFIG file; relative paths in it start from its folder. */
export const connectionsFromFile = (
  findings: kinds.Findings,
  file: string,
  defaults: ConnectionDefaults,
): ConnectionConfig[] => {
  const content = parseFile(findings, file);
  if (content === undefined) return [];
  const listed = new Section(findings, 'KEYWARD_CONFIG', content, ['connections']).raw('connections');
  if (!Array.isArray(listed) || listed.length === 0) {
    findings.add(
      'KEYWARD_CONFIG connections',
      listed ? 'no list, or an empty one' : 'nothing',
      'a list of connections',
    );
    return [];
  }
  const connections = listed.map((each, i) => {
    const section = new Section(findings, `KEYWARD_CONFIG connections[${i}]`, each, CONNECTION_KEYS);
    return connectionOf(section, dirname(file), defaults);
  });
  connections.forEach(({ id }, i) => {
    if (id && connections.findIndex((other) => other.id === id) < i) {
      findings.add(`KEYWARD_CONFIG connections[${i}].id`, `${JSON.stringify(id)} again`, 'an id of its own');
    }
  });
  return connections;
};
