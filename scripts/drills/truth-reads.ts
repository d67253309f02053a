// Every read of a connection, with inputs that return all of its data.

type Row = Record<string, unknown>;
export type Input = Record<string, string>;

/** The answers without input, by operation. */
export type Known = ReadonlyMap<string, { items: Row[]; body: Row }>;

export interface Read {
  /** By default once, without input. */
  inputs?: (known: Known) => Input[];
  /** Fields that are not compared, with the reason. */
  except?: Record<string, string>;
  /** Counted in the background, and therefore not compared again after changes. */
  isCounted?: true;
}

const textsOf = (known: Known, operation: string, field: string): string[] => [
  ...new Set((known.get(operation)?.items ?? []).flatMap((row) => (row[field] ? [String(row[field])] : []))),
];
const inputsOf = (name: string, values: readonly string[]): Input[] =>
  values.map((value) => ({ [name]: value }));
/** Without input first, because other reads derive their input from it. */
const allAnd = (...inputs: Input[]): Input[] => [{}, ...inputs];
const spread = <T>(list: readonly T[], count: number): T[] =>
  list.filter((_, i) => i % Math.max(1, Math.ceil(list.length / count)) === 0);

const STATES = ['live', 'unindexed', 'ghost', 'noTtl', 'legacy', 'malformed', 'staleIndex'];
const FILTERS: Input[] = [{ username: 'a' }, { device: 'firefox' }, { address: '203.0.113.7' }];

/** Two keys of each family, and all without a family. */
const someKeys = (known: Known): Input[] => {
  const byFamily = new Map<string, Input[]>();
  for (const { keyId, key, family } of known.get('keys.list')?.items ?? []) {
    const own = byFamily.get(String(family ?? '')) ?? [];
    byFamily.set(String(family ?? ''), [...own, { keyId: String(keyId), key: String(key) }]);
  }
  return [...byFamily].flatMap(([family, inputs]) => {
    const sorted = inputs.sort((a, b) => (a.key! < b.key! ? -1 : 1));
    const times = new Map<string, number>();
    for (const { key } of sorted) times.set(key!, (times.get(key!) ?? 0) + 1);
    // Names with equal displayed forms cannot be distinguished.
    const single = sorted.filter(({ key }) => times.get(key!) === 1);
    return family ? spread(single, 2) : single;
  });
};

/** The same key by the other connection's id, because encrypted ids are valid for one connection only. */
export const keyInputFor = (input: Input, known: Known): Input => {
  const { key, ...rest } = input;
  if (key === undefined) return input;
  const row = known.get('keys.list')?.items.find((row) => row.key === key);
  return { ...rest, keyId: String(row?.keyId) };
};

const entityIds = (known: Known, count: number): Input[] =>
  textsOf(known, 'entities.kinds', 'kind').flatMap((kind) => {
    const entities = known.get(`entities.search ${kind}`)?.items ?? [];
    return spread(entities.map(({ id }) => String(id)).sort(), count).map((id) => ({ kind, id }));
  });

/** By operation, in the order of their dependencies. Reads that take no input are made before these. */
export const READS: Record<string, Read> = {
  'overview.get': {
    isCounted: true,
    except: {
      hitRate: 'of the traffic',
      opsPerSecond: 'of the traffic',
      usedMemoryBytes: 'of the servers',
      maxMemoryBytes: 'of the servers',
      connectedClients: 'of the servers',
      attention: 'says what the server, not the keys, needs',
    },
  },
  'families.list': {
    isCounted: true,
    except: {
      hits: 'of the traffic',
      misses: 'of the traffic',
      hitRate: 'of the traffic',
      source: 'of the traffic',
      coverage: 'of the traffic',
      error: 'of the traffic',
      windowSeconds: 'of the traffic',
      missesPerSecond: 'of the traffic',
      originLoadPerSecond: 'of the traffic',
    },
  },
  'catalog.get': {
    isCounted: true,
    except: {
      loadedAt: 'when the console loaded it',
      drift: 'of samples',
    },
  },
  'families.ttl': {
    isCounted: true,
    inputs: (known) => inputsOf('family', textsOf(known, 'families.list', 'family')),
    except: { remaining: 'begins with the moment of the count' },
  },
  'keys.list': {
    inputs: (known) =>
      allAnd(
        ...inputsOf('family', textsOf(known, 'families.list', 'family')),
        ...inputsOf('state', ['classified', 'malformed', 'unclassified']),
        ...inputsOf('type', ['string', 'hash', 'list', 'set', 'zset']),
        ...inputsOf('ttl', ['none', 'expiring']),
        { ttlBelowSeconds: '3600' },
        { match: '*1*' },
      ),
  },
  'keys.groups': {
    inputs: (known) => allAnd(...inputsOf('family', textsOf(known, 'families.list', 'family'))),
  },
  'keys.get': { inputs: someKeys, except: { idleSeconds: 'the copy was used later' } },
  'sessions.list': {
    inputs: () => allAnd(...inputsOf('state', STATES), ...FILTERS, { idleLongerThanSeconds: '864000' }),
  },
  'sessions.search': {
    inputs: () => [...inputsOf('state', STATES), ...FILTERS].map((input) => ({ ...input, limit: '100000' })),
  },
  'sessions.user': {
    except: { audit: 'an entry names the users that were found first' },
    inputs: (known) =>
      [...spread(textsOf(known, 'sessions.list', 'userId').sort(), 15), 'healthcheck'].map((userId) => ({
        userId,
        complete: 'true',
      })),
  },
  'tokens.oauth.list': { inputs: () => allAnd({ kind: 'access' }, { expiringWithinSeconds: '600' }) },
  'flags.list': { except: { unchangedSince: 'since the console watches' } },
  'guard.rateLimits.list': {
    inputs: () => allAnd(...inputsOf('state', ['limited', 'near', 'ok', 'expired', 'unreadable'])),
  },
  'guard.rateLimits.whatIf': { inputs: () => [{ limit: '50', periodSeconds: '60' }] },
  'guard.ips.top': {
    inputs: () => allAnd(...inputsOf('map', ['all', 'currentPeriod'])),
    except: { watchedSince: 'since the console watches' },
  },
  'entities.search': { inputs: (known) => inputsOf('kind', textsOf(known, 'entities.kinds', 'kind')) },
  'entities.get': { inputs: (known) => entityIds(known, 6) },
  'entities.relation': {
    inputs: (known) =>
      entityIds(known, 3).flatMap(({ kind, id }) => {
        const declared = (known.get('entities.kinds')?.items ?? []).find((row) => row.kind === kind);
        const relations = (declared?.relations ?? []) as { relation: string }[];
        return relations.map(({ relation }) => ({ kind: kind!, id: id!, relation }));
      }),
  },
  'conversations.messages': {
    inputs: (known) =>
      spread(known.get('conversations.list')?.items ?? [], 12).map(({ kind, id }) => ({
        kind: String(kind),
        id: String(id),
      })),
  },
  'views.top': {
    except: { slug: 'of several the first that the server names' },
  },
  'queues.peek': { inputs: (known) => inputsOf('keyId', textsOf(known, 'queues.list', 'keyId')) },
  'leaderboards.get': { inputs: (known) => inputsOf('keyId', textsOf(known, 'leaderboards.list', 'keyId')) },
};

const OF_STORE = 'is what the console itself stored about this connection';
const OF_SERVERS = 'is about the servers, not about keys';
const OF_TRAFFIC = 'is about traffic, of which this drill has none';
const OVER_TIME = 'is a history, which begins with the connection';

/** Reads that are not compared. */
export const NOT_READ: Record<string, string> = {
  'connections.capabilities': OF_SERVERS,
  'history.series': OVER_TIME,
  'history.export': OVER_TIME,
  'history.stream': OVER_TIME,
  'figures.list': 'repeats other reads, and has those of the servers',
  'walks.get': 'says how long the scan took',
  'approvals.list': OF_STORE,
  'approvals.get': OF_STORE,
  'savedViews.list': OF_STORE,
  'guard.entries.history': OF_STORE,
  'env.history': OF_STORE,
  'env.backups.list': OF_STORE,
  'flags.history': OF_STORE,
  'guard.rateLimits.refused': OVER_TIME,
  'guard.history': OVER_TIME,
  'families.recovery': OVER_TIME,
  'hitRates.get': OF_TRAFFIC,
  'hitRates.change': OF_TRAFFIC,
  'hitRates.sampling.get': OF_SERVERS,
  'analysis.list': 'lists the reports, which are compared after they are made',
  'analysis.get': 'is compared after it is made',
  'analysis.export': 'has what analysis.get has',
  'conventions.report': 'is compared after it is made',
  'conventions.history': OVER_TIME,
  'alerts.history': OF_STORE,
  'alerts.channels.list': OF_STORE,
  'presence.history': OVER_TIME,
  'queues.series': OVER_TIME,
  'channels.list': OF_TRAFFIC,
  'channels.history': OF_TRAFFIC,
  'commandLine.history': OF_STORE,
  'metrics.applicationSeries': OVER_TIME,
  'metrics.pinned': OF_STORE,
  'nodes.list': OF_SERVERS,
  'server.get': OF_SERVERS,
  'slowlog.list': OF_SERVERS,
  'latency.list': OF_SERVERS,
  'commandstats.list': OF_SERVERS,
  'clients.list': OF_SERVERS,
  'diagnostics.get': OF_SERVERS,
  'profiler.estimate': OF_TRAFFIC,
  'profiler.export': OF_TRAFFIC,
};

/** All reads that are compared, among the operations of connections. */
export const readsAmong = (operations: readonly { id: string; method: string }[]): [string, Read][] => [
  ...operations
    .filter(({ id, method }) => method === 'GET' && !(id in READS) && !(id in NOT_READ))
    .map(({ id }): [string, Read] => [id, {}]),
  ...Object.entries(READS),
];
