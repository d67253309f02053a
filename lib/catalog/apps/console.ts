import type { Family } from '../family';
import { DAY, HOUR, own, within } from './console-own';

/** The console's own keys, by name: `consoleFamilies.user.key({ id })`. */
export const consoleFamilies = {
  // Users, API tokens, and what guards signing in
  user: own('user:{id}', 'hash', 'persistent', {
    sensitiveFields: ['passwordHash'],
    title: 'Users',
    purpose: 'A user of the console.',
  }),
  userEmail: own('user-email:{digest}', 'string', 'persistent', {
    title: 'Users by e-mail',
    purpose: "A user's id by the digest of the address.",
  }),
  users: own('users', 'set', 'persistent', {
    title: 'User index',
    purpose: 'Ids of all users.',
  }),
  setupCode: own('setup-code', 'string', within(60, 30 * DAY), {
    sensitiveValue: true,
    title: 'Set-up code',
    purpose: 'The one-time code with which the first administrator is made.',
  }),
  apiToken: own('api-token:{id}', 'hash', 'any', {
    sensitiveFields: ['digest'],
    title: 'API tokens',
    purpose: 'An API token: name, role, expiry, last use; never the token.',
  }),
  apiTokenDigest: own('api-token-digest:{digest}', 'string', 'any', {
    sensitive: ['digest'],
    title: 'API tokens by digest',
    purpose: "An API token's id by the digest of the token.",
  }),
  apiTokens: own('api-tokens', 'set', 'persistent', {
    title: 'API token index',
    purpose: 'Ids of all API tokens.',
  }),
  recordsSealed: own('records-sealed', 'string', 'persistent', {
    title: 'Mark of sealed records',
    purpose: 'That users and API tokens of a console from before were given their MACs, which happens once.',
  }),
  session: own('session:{digest}', 'hash', within(1, 8 * HOUR), {
    sensitive: ['digest'],
    title: 'Sessions',
    purpose: 'A session of this console by the digest of its id: whose it is; deleted with signing out.',
  }),
  throttle: own('throttle:{kind}:{digest}', 'hash', within(1, DAY), {
    title: 'Sign-in throttle',
    purpose: 'Failed attempts of an account at a network, a network, an account, a device or a user.',
  }),
  secrets: own('secrets', 'string', 'persistent', {
    title: 'Secrets in use',
    purpose: 'A digest of the secrets of the processes on this store, so that one with others is refused.',
  }),

  // The audit log, undo records, jobs, and who does what
  audit: own('audit', 'stream', 'persistent', {
    title: 'Audit log',
    purpose: 'Hash-chained record of every change, sign-in and refusal.',
  }),
  auditHead: own('audit-head', 'hash', 'persistent', {
    title: 'Audit head',
    purpose:
      'Id, digest and count of the newest audit entry, so that a cut tail shows, and how far the subjects know the log.',
  }),
  auditBase: own('audit-base', 'hash', 'persistent', {
    title: 'Audit base',
    purpose: 'Where the kept part of the audit log begins.',
  }),
  auditEntry: own('audit-entry:{id}', 'hash', 'any', {
    title: 'Audit pointers',
    purpose: 'Stream ids of the intent, the outcome and the undoing of one change; kept as long as they are.',
  }),
  auditHeads: own('audit-heads', 'list', 'persistent', {
    title: 'Audit heads',
    purpose:
      'Heads of the audit log that were seen, one a minute: entries that were cut off since are missed.',
  }),
  auditWatch: own('audit-watch', 'hash', 'persistent', {
    title: 'Audit verification',
    purpose: 'The last verification of the audit log, and an alarm that nobody has acknowledged yet.',
  }),
  auditRefusals: own('audit-refusals', 'hash', 'persistent', {
    title: 'Counted refusals',
    purpose:
      'How often an actor was refused an action in a minute, until the minute is over and the log says so.',
  }),
  auditSubject: own('audit-subject:{digest}', 'zset', within(1, 36_501 * DAY), {
    title: 'Audit subjects',
    purpose:
      'Which audit entries are about one variable or one user of a connection, named by a keyed digest; for histories.',
  }),
  undo: own('undo:{id}', 'string', within(60, 30 * DAY), {
    sensitiveValue: true,
    title: 'Undo records',
    purpose: 'What a change replaced, while it can be taken back.',
  }),
  undoKeys: own('undo-keys:{id}', 'list', within(60, 30 * DAY), {
    sensitiveValue: true,
    title: 'Kept keys',
    purpose:
      'Keys that an invalidation deleted, or gave another TTL, in sealed parts, while it can be taken back.',
  }),
  lease: own('lease:{name}', 'string', within(1, HOUR), {
    title: 'Leases',
    purpose: 'Which process does what only one may do.',
  }),
  job: own('job:{id}', 'hash', 'any', {
    title: 'Jobs',
    purpose: 'State, progress and result of a job.',
  }),
  jobs: own('jobs', 'zset', 'persistent', {
    title: 'Job index',
    purpose: 'Job ids by start time.',
  }),
  openJobs: own('open-jobs', 'set', 'persistent', {
    title: 'Open jobs',
    purpose: 'Ids of the jobs that are not over, or whose end is not yet in the audit log.',
  }),
  scheduled: own('scheduled:{connection}', 'hash', 'persistent', {
    title: 'Scheduled work',
    purpose: 'Changes of a connection that wait for their time, or were suspended.',
  }),
  bull: own('bull:{rest}', 'hash', 'any', {
    otherTypes: ['string', 'list', 'set', 'zset', 'stream'],
    title: 'Job queue',
    purpose: "The job queue's own keys (BullMQ).",
  }),

  // What was measured of connections
  live: own('live:{connection}', 'stream', within(1, DAY), {
    title: 'Live points',
    purpose: 'The last samples of a connection, one a second.',
  }),
  history: own('history:{connection}:{resolution}', 'stream', 'any', {
    title: 'History',
    purpose: 'Samples of a connection at one resolution.',
  }),
  historyEvents: own('history-events:{connection}', 'stream', 'any', {
    title: 'History events',
    purpose: 'Restarts, outages, invalidations and changes of flags of a connection.',
  }),
  annotations: own('annotations:{connection}', 'zset', 'persistent', {
    title: 'Annotations',
    purpose: 'Marks on the charts of a connection, such as deploys, by their time.',
  }),
  ownTraffic: own('own-traffic:{connection}', 'hash', 'any', {
    title: 'Own traffic',
    purpose: "The console's own hits and misses on a connection, taken out of its hit rate.",
  }),
  hitRates: own('hit-rates:{connection}:{resolution}', 'stream', within(DAY, 400 * DAY), {
    title: 'Hit rates',
    purpose: 'Hits and misses per family of a connection, by source and resolution.',
  }),
  sampling: own('sampling:{connection}', 'hash', 'persistent', {
    title: 'Sampling',
    purpose: 'Whether hit rates are sampled live, who agreed to it, and what is to be put back.',
  }),
  familyTtls: own('family-ttls:{connection}', 'hash', within(HOUR, 7 * DAY), {
    title: 'TTLs per family',
    purpose: 'When the keys of each family expire, at the last count.',
  }),
  cacheCounters: own('cache-counters:{connection}', 'string', within(HOUR, 7 * DAY), {
    title: 'Cache counters',
    purpose: "The application's own counters of hits and misses, found at the last count.",
  }),
  census: own('census:{connection}', 'string', 'any', {
    title: 'Census',
    purpose: 'Keys per family at the last count.',
  }),
  sessionStats: own('session-stats:{connection}', 'string', within(60, 7 * DAY), {
    title: 'Session counts',
    purpose: 'Sessions by state and tokens by kind at the last count.',
  }),
  recovery: own('recovery:{id}', 'string', 'any', {
    title: 'Recoveries',
    purpose: 'How misses went after an invalidation, kept as long as its audit entry.',
  }),
  recoveries: own('recoveries', 'zset', 'persistent', {
    title: 'Recoveries under way',
    purpose: 'Invalidations whose misses are still followed, by when that ends.',
  }),
  ipWatch: own('ip-watch:{connection}', 'string', within(1, DAY), {
    title: 'Callers now',
    purpose: "Samples of the error collector's present period: its heaviest callers, and when periods ended.",
  }),
  ipPeriods: own('ip-periods:{connection}', 'stream', within(1, DAY), {
    title: 'Callers of past periods',
    purpose: "The heaviest callers of the error collector's last periods, whose map it has deleted.",
  }),
  ipCallers: own('ip-callers:{connection}:{seen}', 'zset', within(1, 7 * DAY), {
    title: 'Callers by when they were seen',
    purpose: 'When each of the heaviest callers was first and last seen.',
  }),
  guardHistory: own('guard-history:{connection}:{resolution}', 'stream', 'any', {
    title: 'History of the guard',
    purpose: 'Blocked projects, blacklisted addresses and limited projects over time, at one resolution.',
  }),

  // What people noted and kept beside bans, flags and variables
  ban: own('ban:{connection}', 'hash', 'persistent', {
    title: 'Ban notes',
    purpose: 'Author, note and end of the addresses on a blacklist.',
  }),
  banPlan: own('ban-plan:{connection}:{id}', 'set', 'any', {
    title: 'Bans that end together',
    purpose: 'Addresses whose ban one piece of scheduled work lifts.',
  }),
  flagNote: own('flag:{connection}', 'hash', 'persistent', {
    title: 'Notes of changes',
    purpose: 'Who changed each environment variable or feature flag last, and why.',
  }),
  variableNames: own('variable-names:{connection}', 'string', within(HOUR, 7 * DAY), {
    sensitiveValue: true,
    title: 'Names of variables',
    purpose: 'Which environment variables and flags the last walk met, sealed, for a list to begin with.',
  }),
  flagDescription: own('flag-description:{connection}', 'hash', 'persistent', {
    title: 'Flag descriptions',
    purpose: 'What each feature flag does, in plain words.',
  }),
  flagSeen: own('flag-seen:{connection}', 'hash', 'persistent', {
    title: 'Flags as first seen',
    purpose: 'Since when each feature flag is known to hold its present value, which is kept as a digest.',
  }),
  flagRequest: own('flag-request:{connection}', 'hash', 'persistent', {
    title: 'Flag requests',
    purpose: 'Changes of feature flags that wait for a second person.',
  }),
  envBackup: own('env-backup:{connection}:{id}', 'string', 'any', {
    sensitiveValue: true,
    title: 'Backups of variables',
    purpose: 'All environment variables of a connection at one moment, sealed under a key of the console.',
  }),
  envBackups: own('env-backups:{connection}', 'hash', 'persistent', {
    title: 'Backup index',
    purpose: 'When each kept backup of variables was made, why, and how many variables it holds.',
  }),
} as const satisfies Record<string, Family>;
