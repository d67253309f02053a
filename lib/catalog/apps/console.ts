import { type Family, type FamilyDefinition, family } from '../family';
import { connectionId, ownId, plainText, word } from '../grammar';

/** Every key of the console's own store begins with this. */
export const CONSOLE_PREFIX = 'keyward:';

const HOUR = 3600;
const DAY = 86_400;

type Own = Pick<FamilyDefinition, 'type' | 'ttl' | 'title' | 'purpose'> & Partial<FamilyDefinition>;

const own = (name: string, parameters: string, def: Own): Family =>
  family({ id: `console.${name}`, pattern: `${CONSOLE_PREFIX}${name}${parameters}`, guarded: true, ...def });

const id = { id: ownId };
const digest = { digest: ownId };
const connection = { connection: connectionId };

/** The console's own keys, by name: `consoleFamilies.user.key({ id })`. */
export const consoleFamilies = {
  user: own('user', ':{id}', {
    params: id,
    type: 'hash',
    ttl: 'persistent',
    sensitiveFields: ['passwordHash'],
    title: 'Users',
    purpose: 'A user of the console.',
  }),
  userEmail: own('user-email', ':{digest}', {
    params: digest,
    type: 'string',
    ttl: 'persistent',
    title: 'Users by e-mail',
    purpose: "A user's id by the digest of the address.",
  }),
  users: own('users', '', {
    type: 'set',
    ttl: 'persistent',
    title: 'User index',
    purpose: 'Ids of all users.',
  }),
  setupCode: own('setup-code', '', {
    type: 'string',
    ttl: { minSeconds: 60, maxSeconds: 30 * DAY },
    sensitiveValue: true,
    title: 'Set-up code',
    purpose: 'The one-time code with which the first administrator is made.',
  }),
  apiToken: own('api-token', ':{id}', {
    params: id,
    type: 'hash',
    ttl: 'any',
    sensitiveFields: ['digest'],
    title: 'API tokens',
    purpose: 'An API token: name, role, expiry, last use; never the token.',
  }),
  apiTokenDigest: own('api-token-digest', ':{digest}', {
    params: digest,
    type: 'string',
    ttl: 'any',
    sensitive: ['digest'],
    title: 'API tokens by digest',
    purpose: "An API token's id by the digest of the token.",
  }),
  apiTokens: own('api-tokens', '', {
    type: 'set',
    ttl: 'persistent',
    title: 'API token index',
    purpose: 'Ids of all API tokens.',
  }),
  throttle: own('throttle', ':{kind}:{digest}', {
    params: { kind: word, digest: ownId },
    type: 'hash',
    ttl: { minSeconds: 1, maxSeconds: DAY },
    title: 'Sign-in throttle',
    purpose: 'Failed sign-ins of an account or an address.',
  }),
  audit: own('audit', '', {
    type: 'stream',
    ttl: 'persistent',
    title: 'Audit log',
    purpose: 'Hash-chained record of every change, sign-in and refusal.',
  }),
  auditHead: own('audit-head', '', {
    type: 'hash',
    ttl: 'persistent',
    title: 'Audit head',
    purpose: 'Id, digest and count of the newest audit entry, so that a cut tail shows.',
  }),
  auditBase: own('audit-base', '', {
    type: 'hash',
    ttl: 'persistent',
    title: 'Audit base',
    purpose: 'Where the kept part of the audit log begins.',
  }),
  auditEntry: own('audit-entry', ':{id}', {
    params: id,
    type: 'hash',
    ttl: 'any',
    title: 'Audit pointers',
    purpose: 'Stream ids of the intent, the outcome and the undoing of one change; kept as long as they are.',
  }),
  undo: own('undo', ':{id}', {
    params: id,
    type: 'string',
    ttl: { minSeconds: 60, maxSeconds: 30 * DAY },
    sensitiveValue: true,
    title: 'Undo records',
    purpose: 'What a change replaced, while it can be taken back.',
  }),
  undoKeys: own('undo-keys', ':{id}', {
    params: id,
    type: 'list',
    ttl: { minSeconds: 60, maxSeconds: 30 * DAY },
    sensitiveValue: true,
    title: 'Kept keys',
    purpose:
      'Keys that an invalidation deleted, or gave another TTL, in sealed parts, while it can be taken back.',
  }),
  aftermath: own('aftermath', ':{id}', {
    params: id,
    type: 'string',
    ttl: 'any',
    title: 'Aftermaths',
    purpose: 'How misses went after an invalidation, kept as long as its audit entry.',
  }),
  aftermaths: own('aftermaths', '', {
    type: 'zset',
    ttl: 'persistent',
    title: 'Aftermaths under way',
    purpose: 'Invalidations whose misses are still followed, by when that ends.',
  }),
  secrets: own('secrets', '', {
    type: 'string',
    ttl: 'persistent',
    title: 'Secrets in use',
    purpose: 'A digest of the secrets of the processes on this store, so that one with others is refused.',
  }),
  lease: own('lease', ':{name}', {
    params: { name: plainText },
    type: 'string',
    ttl: { minSeconds: 1, maxSeconds: HOUR },
    title: 'Leases',
    purpose: 'Which process does what only one may do.',
  }),
  job: own('job', ':{id}', {
    params: id,
    type: 'hash',
    ttl: 'any',
    title: 'Jobs',
    purpose: 'State, progress and result of a job.',
  }),
  jobs: own('jobs', '', {
    type: 'zset',
    ttl: 'persistent',
    title: 'Job index',
    purpose: 'Job ids by start time.',
  }),
  openJobs: own('open-jobs', '', {
    type: 'set',
    ttl: 'persistent',
    title: 'Open jobs',
    purpose: 'Ids of the jobs that are not over, or whose end is not yet in the audit log.',
  }),
  scheduled: own('scheduled', ':{connection}', {
    params: connection,
    type: 'hash',
    ttl: 'persistent',
    title: 'Scheduled work',
    purpose: 'Changes of a connection that wait for their time, or were suspended.',
  }),
  bull: own('bull', ':{rest}', {
    params: { rest: plainText },
    type: 'hash',
    otherTypes: ['string', 'list', 'set', 'zset', 'stream'],
    ttl: 'any',
    title: 'Job queue',
    purpose: "The job queue's own keys (BullMQ).",
  }),
  live: own('live', ':{connection}', {
    params: connection,
    type: 'stream',
    ttl: { minSeconds: 1, maxSeconds: DAY },
    title: 'Live points',
    purpose: 'The last samples of a connection, one a second.',
  }),
  history: own('history', ':{connection}:{resolution}', {
    params: { connection: connectionId, resolution: word },
    type: 'stream',
    ttl: 'any',
    title: 'History',
    purpose: 'Samples of a connection at one resolution.',
  }),
  historyEvents: own('history-events', ':{connection}', {
    params: connection,
    type: 'stream',
    ttl: 'any',
    title: 'History events',
    purpose: 'Restarts and outages of a connection.',
  }),
  ownTraffic: own('own-traffic', ':{connection}', {
    params: connection,
    type: 'hash',
    ttl: 'any',
    title: 'Own traffic',
    purpose: "The console's own hits and misses on a connection, taken out of its hit rate.",
  }),
  hitRates: own('hit-rates', ':{connection}:{resolution}', {
    params: { connection: connectionId, resolution: word },
    type: 'stream',
    ttl: { minSeconds: DAY, maxSeconds: 400 * DAY },
    title: 'Hit rates',
    purpose: 'Hits and misses per family of a connection, by source and resolution.',
  }),
  sampling: own('sampling', ':{connection}', {
    params: connection,
    type: 'hash',
    ttl: 'persistent',
    title: 'Sampling',
    purpose: 'Whether hit rates are sampled live, who agreed to it, and what is to be put back.',
  }),
  familyTtls: own('family-ttls', ':{connection}', {
    params: connection,
    type: 'hash',
    ttl: { minSeconds: HOUR, maxSeconds: 7 * DAY },
    title: 'TTLs per family',
    purpose: 'When the keys of each family expire, at the last count.',
  }),
  cacheCounters: own('cache-counters', ':{connection}', {
    params: connection,
    type: 'string',
    ttl: { minSeconds: HOUR, maxSeconds: 7 * DAY },
    title: 'Cache counters',
    purpose: "The application's own counters of hits and misses, found at the last count.",
  }),
  census: own('census', ':{connection}', {
    params: connection,
    type: 'string',
    ttl: 'any',
    title: 'Census',
    purpose: 'Keys per family at the last count.',
  }),
  sessionStats: own('session-stats', ':{connection}', {
    params: connection,
    type: 'string',
    ttl: { minSeconds: 60, maxSeconds: 7 * DAY },
    title: 'Session counts',
    purpose: 'Sessions by state and tokens by kind at the last count.',
  }),
  ban: own('ban', ':{connection}', {
    params: connection,
    type: 'hash',
    ttl: 'persistent',
    title: 'Ban notes',
    purpose: 'Author, note and end of the addresses on a blacklist.',
  }),
  banPlan: own('ban-plan', ':{connection}:{id}', {
    params: { connection: connectionId, id: ownId },
    type: 'set',
    ttl: 'any',
    title: 'Bans that end together',
    purpose: 'Addresses whose ban one piece of scheduled work lifts.',
  }),
  ipWatch: own('ip-watch', ':{connection}', {
    params: connection,
    type: 'string',
    ttl: { minSeconds: 1, maxSeconds: DAY },
    title: 'Callers now',
    purpose: "Samples of the error collector's present period: its heaviest callers, and when periods ended.",
  }),
  ipPeriods: own('ip-periods', ':{connection}', {
    params: connection,
    type: 'stream',
    ttl: { minSeconds: 1, maxSeconds: DAY },
    title: 'Callers of past periods',
    purpose: "The heaviest callers of the error collector's last periods, whose map it has deleted.",
  }),
  ipCallers: own('ip-callers', ':{connection}:{seen}', {
    params: { connection: connectionId, seen: word },
    type: 'zset',
    ttl: { minSeconds: 1, maxSeconds: 7 * DAY },
    title: 'Callers by when they were seen',
    purpose: 'When each of the heaviest callers was first and last seen.',
  }),
  guardHistory: own('guard-history', ':{connection}:{resolution}', {
    params: { connection: connectionId, resolution: word },
    type: 'stream',
    ttl: 'any',
    title: 'History of the guard',
    purpose: 'Blocked projects, blacklisted addresses and limited projects over time, at one resolution.',
  }),
  flagNote: own('flag', ':{connection}', {
    params: connection,
    type: 'hash',
    ttl: 'persistent',
    title: 'Notes of changes',
    purpose: 'Who changed each environment variable or feature flag last, and why.',
  }),
  flagDescription: own('flag-description', ':{connection}', {
    params: connection,
    type: 'hash',
    ttl: 'persistent',
    title: 'Flag descriptions',
    purpose: 'What each feature flag does, in plain words.',
  }),
  flagSeen: own('flag-seen', ':{connection}', {
    params: connection,
    type: 'hash',
    ttl: 'persistent',
    title: 'Flags as first seen',
    purpose: 'Since when each feature flag is known to hold its present value, which is kept as a digest.',
  }),
  flagRequest: own('flag-request', ':{connection}', {
    params: connection,
    type: 'hash',
    ttl: 'persistent',
    title: 'Flag requests',
    purpose: 'Changes of feature flags that wait for a second person.',
  }),
  envBackup: own('env-backup', ':{connection}:{id}', {
    params: { connection: connectionId, id: ownId },
    type: 'string',
    ttl: 'any',
    sensitiveValue: true,
    title: 'Backups of variables',
    purpose: 'All environment variables of a connection at one moment, sealed under a key of the console.',
  }),
  envBackups: own('env-backups', ':{connection}', {
    params: connection,
    type: 'hash',
    ttl: 'persistent',
    title: 'Backup index',
    purpose: 'When each kept backup of variables was made, why, and how many variables it holds.',
  }),
} as const satisfies Record<string, Family>;
