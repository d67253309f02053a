import { partialMatchKey, type QueryKey } from '@tanstack/react-query';

/** Parts that are left out at the end make a key of all queries that begin with the others. */
const key = (...parts: unknown[]): unknown[] => parts.filter((part) => part !== undefined);

/**
 * The keys of answers that neither `readQuery` nor `listQuery` makes. The operation comes first, then the connection
 * where it has one: `queryKeys.user(connection)` is everybody of a connection.
 */
export const queryKeys = {
  series: (connection: string, period?: unknown, compare?: boolean) =>
    key('history.series', connection, period, compare),
  events: (connection: string, range?: string) => key('metrics.events', connection, range),
  key: (connection: string, keyId?: string, part?: string, input?: object) =>
    key('keys.get', connection, keyId, part, input),
  /** A complete string by its etag: not refetched with the key, because a drawer edits what it read. */
  wholeString: (connection: string, keyId: string, etag: string) =>
    key('keys.whole', connection, keyId, etag),

  hitRates: (connection: string, period?: unknown) => key('hitRates.get', connection, period),
  hitRateChange: (connection: string, from?: number, to?: number) =>
    key('hitRates.change', connection, from, to),
  familyPreview: (connection: string, target: unknown) => key('families.preview', connection, target),
  recovery: (connection: string, auditId: string) => key('families.recovery', connection, auditId),

  catalog: (connection: string) => key('catalog.get', connection),

  analyses: (connection: string) => key('analysis.list', connection),
  /** Not a page of the list: the newest report itself. */
  newestAnalysis: (connection: string) => key('analysis.list', connection, 'newest'),
  analysis: (connection: string, id?: string, since?: string) => key('analysis.get', connection, id, since),
  conventions: (connection: string) => key('conventions.report', connection),
  conventionsHistory: (connection: string) => key('conventions.history', connection),
  alerts: (connection: string, filter?: object) => key('alerts.list', connection, filter),
  alertChannels: (connection: string) => key('alerts.channels.list', connection),

  entity: (connection: string, kind?: string, id?: string) => key('entities.get', connection, kind, id),
  entityRelation: (connection: string, kind?: string, id?: string, relation?: string) =>
    key('entities.relation', connection, kind, id, relation),
  messages: (connection: string, kind?: string, id?: string, q?: string) =>
    key('conversations.messages', connection, kind, id, q),
  presenceHistory: (connection: string, range?: unknown) => key('presence.history', connection, range),
  views: (connection: string, limit?: number) => key('views.top', connection, limit),
  completion: (connection: string, line?: string) => key('commandLine.complete', connection, line),

  server: (connection: string, node: string) => key('server.get', connection, { node }),
  latencyEvents: (connection: string) => key('latency.list', connection),

  queue: (connection: string, keyId: string | null) => key('queues.list', connection, 'one', keyId),
  queuePeek: (connection: string, keyId?: string, from?: string) =>
    key('queues.peek', connection, keyId, from),
  queueSeries: (connection: string, keyId?: string, range?: string) =>
    key('queues.series', connection, keyId, range),
  leaderboard: (connection: string, keyId?: string, order?: string) =>
    key('leaderboards.get', connection, keyId, order),
  leaderboardRank: (connection: string, keyId: string, order: string, member: string) =>
    key('leaderboards.get', connection, keyId, order, 'member', member),

  audience: (connection: string, to?: object) => key('channels.audience', connection, to),
  appMetrics: (connection: string, q?: string) => key('metrics.application', connection, q),
  appMetricSeries: (connection: string, figure?: object, range?: string) =>
    key('metrics.applicationSeries', connection, figure, range),

  auditStatus: () => key('audit.status'),
  auditEntry: (id: string) => key('audit.list', 'entry', id),
  jobs: (connection: string, action?: string) => key('jobs.list', connection, action),
  runningJobs: () => key('jobs.list', 'running'),
  job: (jobId?: string) => key('jobs.get', jobId),

  keys: (connection: string, filter?: object) => key('keys.list', connection, filter),
  namedKey: (connection: string, filter?: object | null) => key('keys.list', connection, 'named', filter),
  keyGroups: (connection: string, node?: object) => key('keys.groups', connection, node),

  sessionSearch: (connection: string, filter?: object) => key('sessions.search', connection, filter),
  user: (connection: string, userId?: string, complete?: boolean, order?: object) =>
    key('sessions.user', connection, userId, complete, order),

  guardSizes: (connection: string, range?: string) => key('guard.history', connection, range),
  guardChanges: (connection: string, range?: string) => key('guard.changes', connection, range),
  banPreview: (connection: string, text: string) => key('guard.preview', connection, text),
  traffic: (connection: string, map?: string, limit?: number) => key('guard.ips', connection, map, limit),
  whatIf: (connection: string, input?: object | null) => key('guard.rateLimits.whatIf', connection, input),
  refused: (connection: string, projectId: string, range?: string) =>
    key('guard.rateLimits.refused', connection, projectId, range),
};

/**
 * A `placeholderData` that keeps the last answer while the next one of the same beginning loads: another connection's
 * figures never stand in for this one's.
 */
export const keepWithin =
  (beginning: QueryKey) =>
  <T>(last: T | undefined, query: { queryKey: QueryKey } | undefined): T | undefined =>
    query && partialMatchKey(query.queryKey, beginning) ? last : undefined;
