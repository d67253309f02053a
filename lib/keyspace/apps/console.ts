import type { Family } from '../family';
import { DAY, HOUR, own, within } from './console-own';

/** The console's own keys, by name: `consoleFamilies.user.key({ id })`. */
export const consoleFamilies = {
  // Users, API tokens, and the protection of sign-in
  user: own('user:{id}', 'hash', 'persistent', {
    sensitiveFields: ['passwordHash', 'secondFactor'],
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
  userSubject: own('user-subject:{digest}', 'string', 'persistent', {
    title: 'Users by subject',
    purpose: "A user's id by the digest of issuer and subject at an OpenID provider.",
  }),
  putOff: own('put-off:{connection}', 'hash', within(1, 31 * DAY), {
    title: 'Put off',
    purpose: 'What of a connection needs attention and was put off, by whom, why and until when.',
  }),
  preferences: own('preferences:{id}', 'hash', 'persistent', {
    title: 'Preferences',
    purpose: 'How a user wants the console shown: menu, time zone, density.',
  }),
  setupCode: own('setup-code', 'string', within(60, 30 * DAY), {
    sensitiveValue: true,
    title: 'Set-up code',
    purpose: 'The one-time code that creates the first administrator.',
  }),
  invitation: own('invitation:{id}', 'hash', within(1, 7 * DAY), {
    sensitiveFields: ['digest'],
    title: 'Invitations',
    purpose: 'The digest of the code with which a user may set a password, and until when.',
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
    title: 'Records sealed mark',
    purpose: 'Marks that users and API tokens of an earlier version were given MACs, which happens once.',
  }),
  session: own('session:{digest}', 'hash', within(1, 8 * HOUR), {
    sensitive: ['digest'],
    title: 'Sessions',
    purpose: 'The user of a console session, by the digest of its id; deleted on sign-out.',
  }),
  stepUp: own('step-up:{digest}', 'string', within(1, 600), {
    sensitive: ['digest'],
    title: 'Step-ups',
    purpose: 'When the user of a console session last gave the second factor.',
  }),
  usedCode: own('used-code:{digest}', 'string', within(1, 300), {
    sensitive: ['digest'],
    title: 'Used codes',
    purpose: 'A code or challenge of a second factor that was used, so that it is not used again.',
  }),
  providerSession: own('provider-session:{digest}', 'string', within(1, 8 * HOUR), {
    sensitive: ['digest'],
    sensitiveValue: true,
    title: 'Sessions of a provider',
    purpose: 'Sealed: what an OpenID provider is asked with whether a session goes on, or why it ended.',
  }),
  providerSid: own('provider-sid:{digest}', 'set', within(1, 8 * HOUR), {
    title: "Sessions by the provider's id",
    purpose: 'Digests of the console sessions that began in one session at an OpenID provider.',
  }),
  logoutToken: own('logout-token:{digest}', 'string', within(1, HOUR), {
    title: 'Logout tokens',
    purpose: 'Logout tokens of an OpenID provider that were used, so that none is used twice.',
  }),
  throttle: own('throttle:{kind}:{digest}', 'hash', within(1, DAY), {
    title: 'Sign-in throttle',
    purpose: 'Failed sign-ins per account and network, network, account, device, or user.',
  }),
  secrets: own('secrets', 'string', 'persistent', {
    title: 'Secrets in use',
    purpose:
      'A digest of the secrets that processes on this store use: a process with other secrets is refused.',
  }),
  schema: own('schema', 'hash', 'persistent', {
    title: 'Schema',
    purpose: 'The version of this data, and which version of the console wrote it last.',
  }),

  // The audit log, undo data, jobs, and leases
  audit: own('audit', 'stream', 'persistent', {
    title: 'Audit log',
    purpose: 'Hash-chained record of every change, sign-in and refusal.',
  }),
  auditHead: own('audit-head', 'hash', 'persistent', {
    title: 'Audit head',
    purpose:
      'Id, digest and number of the newest audit entry, which reveals a truncated log, and how far the log is indexed.',
  }),
  auditBase: own('audit-base', 'hash', 'persistent', {
    title: 'Audit base',
    purpose: 'Where the audit log begins after retention.',
  }),
  auditEntry: own('audit-entry:{id}', 'hash', 'any', {
    title: 'Audit pointers',
    purpose: 'Stream ids of the intent, outcome and undo of one change; kept as long as those.',
  }),
  auditHeads: own('audit-heads', 'list', 'persistent', {
    title: 'Audit heads',
    purpose: 'Known heads of the audit log, one a minute, to detect entries removed since.',
  }),
  auditWatch: own('audit-watch', 'hash', 'persistent', {
    title: 'Audit verification',
    purpose: 'The last verification of the audit log, and an unacknowledged alarm.',
  }),
  auditRefusals: own('audit-refusals', 'hash', 'persistent', {
    title: 'Counted refusals',
    purpose: 'Refusals per actor, action and minute, until their number is written to the audit log.',
  }),
  auditSubject: own('audit-subject:{digest}', 'zset', within(1, 36_501 * DAY), {
    title: 'Audit subjects',
    purpose:
      'The audit entries about one subject (a flag, a user, a family, an address…), named by a keyed digest.',
  }),
  undo: own('undo:{id}', 'string', within(60, 30 * DAY), {
    sensitiveValue: true,
    title: 'Undo data',
    purpose: 'What a change replaced, while it can be undone.',
  }),
  undoKeys: own('undo-keys:{id}', 'list', within(60, 30 * DAY), {
    sensitiveValue: true,
    title: 'Key snapshots',
    purpose: 'Sealed snapshots of keys that a job deleted or gave another TTL, while it can be undone.',
  }),
  lease: own('lease:{name}', 'string', within(1, HOUR), {
    title: 'Leases',
    purpose: 'The process that holds a task only one may do.',
  }),
  changed: own('changed:{name}:{connection}', 'string', within(1, HOUR), {
    title: 'Notices of changes',
    purpose: 'The last change that other processes must read again for.',
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
    purpose: 'Ids of unfinished jobs, and of those whose outcome is not in the audit log yet.',
  }),
  scheduled: own('scheduled:{connection}', 'hash', 'persistent', {
    title: 'Scheduled work',
    purpose: 'Scheduled and suspended changes of a connection.',
  }),
  bull: own('bull:{rest}', 'hash', 'any', {
    otherTypes: ['string', 'list', 'set', 'zset', 'stream'],
    title: 'Job queue',
    purpose: "The job queue's own keys (BullMQ).",
  }),

  // Measurements of connections
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
    purpose: 'Restarts, failovers, outages, invalidations and changes of flags of a connection.',
  }),
  placedEvents: own('placed-events:{connection}', 'zset', 'persistent', {
    title: 'Events recorded afterwards',
    purpose: 'Annotations and waves of expired keys of a connection, by their time.',
  }),
  ownTraffic: own('own-traffic:{connection}', 'hash', 'any', {
    title: 'Own traffic',
    purpose: "The console's own hits and misses on a connection, excluded from its hit rate.",
  }),
  nodeFigures: own('node-figures:{connection}', 'string', within(1, HOUR), {
    title: 'Figures of nodes',
    purpose: 'Operations and hit rate of each node of a connection in the last minute.',
  }),
  hitRates: own('hit-rates:{connection}:{resolution}', 'stream', within(DAY, 400 * DAY), {
    title: 'Hit rates',
    purpose: 'Hits and misses per family of a connection, by source and resolution.',
  }),
  sampling: own('sampling:{connection}', 'hash', 'persistent', {
    title: 'Sampling',
    purpose: 'Whether hit rates are sampled live, who consented, and the server settings to restore.',
  }),
  familyTtls: own('family-ttls:{connection}', 'hash', within(HOUR, 7 * DAY), {
    title: 'TTLs per family',
    purpose: 'Expiry times of the keys per family, at the last count.',
  }),
  cacheCounters: own('cache-counters:{connection}', 'string', within(HOUR, 7 * DAY), {
    title: 'Cache counters',
    purpose: "The application's own counters of hits and misses, as of the last count.",
  }),
  walk: own('walk:{connection}', 'hash', within(1, 400 * DAY), {
    title: 'Walks',
    purpose: 'The last walk over all keys of a connection, what it cost, and the current one.',
  }),
  census: own('census:{connection}', 'string', 'any', {
    title: 'Census',
    purpose: 'Keys per family at the last count.',
  }),
  analysis: own('analysis:{connection}:{id}', 'string', within(1, 90 * DAY), {
    title: 'Analyses',
    purpose: 'The report of an analysis of the keyspace, compressed; names in it are displayed forms.',
  }),
  analyses: own('analyses:{connection}', 'hash', within(1, 90 * DAY), {
    title: 'Analysis index',
    purpose: 'A summary of each analysis of a connection.',
  }),
  analysisState: own('analysis-state:{connection}:{id}', 'string', within(1, DAY), {
    sensitiveValue: true,
    title: 'Analyses half-way',
    purpose: 'What an unfinished analysis has counted, and where it goes on; sealed.',
  }),
  analysisSchedule: own('analysis-schedule:{connection}', 'string', 'persistent', {
    title: 'Analysis schedule',
    purpose: 'How often a connection is analysed by itself, and when it was last.',
  }),
  conventionCheck: own('convention-check:{connection}', 'string', within(HOUR, 90 * DAY), {
    title: 'Conventions, last check',
    purpose: 'Violations of the conventions per rule at the last check, with displayed names of a few keys.',
  }),
  conventionHistory: own('convention-history:{connection}', 'stream', 'any', {
    title: 'Conventions, history',
    purpose: 'Violations of the conventions per rule over 90 days.',
  }),
  conventionWaivers: own('convention-waivers:{connection}', 'hash', 'persistent', {
    title: 'Waivers of conventions',
    purpose: 'Violations that were accepted in the console: who, why, and until when.',
  }),
  sessionStats: own('session-stats:{connection}', 'string', within(60, 7 * DAY), {
    title: 'Session counts',
    purpose: 'Sessions by state and tokens by kind at the last count.',
  }),
  recovery: own('recovery:{id}', 'string', 'any', {
    title: 'Recoveries',
    purpose: 'Recovery of the hit rate after an invalidation, kept as long as its audit entry.',
  }),
  recoveries: own('recoveries', 'zset', 'persistent', {
    title: 'Recoveries in progress',
    purpose: 'Invalidations whose recovery is being tracked, by end time.',
  }),
  ipWatch: own('ip-watch:{connection}', 'string', within(1, DAY), {
    title: 'Senders, current period',
    purpose: "Samples of the error collector's current period: its heaviest senders, and when periods ended.",
  }),
  ipPeriods: own('ip-periods:{connection}', 'stream', within(1, DAY), {
    title: 'Senders, past periods',
    purpose: "The heaviest senders of the error collector's last periods, whose counters it has deleted.",
  }),
  ipCallers: own('ip-callers:{connection}:{seen}', 'zset', within(1, 7 * DAY), {
    title: 'Senders by last request',
    purpose: 'When each of the heaviest senders was first and last seen.',
  }),
  guardHistory: own('guard-history:{connection}:{resolution}', 'stream', 'any', {
    title: 'Guard history',
    purpose: 'Blocked projects, banned addresses and limited projects over time, at one resolution.',
  }),
  presenceHistory: own('presence-history:{connection}:{resolution}', 'stream', 'any', {
    title: 'Presence history',
    purpose: 'Users online over time, at one resolution.',
  }),
  metricHistory: own('metric-history:{connection}:{resolution}', 'stream', 'any', {
    title: 'Metric history',
    purpose: "The application's own metrics and statistics over time, at one resolution.",
  }),
  metricNames: own('metric-names:{connection}', 'string', within(1, HOUR), {
    title: 'Metric names',
    purpose: "Displayed names of the application's sampled metrics, for Prometheus and alerts.",
  }),

  // What users pinned
  savedViews: own('saved-views:{connection}:{id}', 'hash', 'persistent', {
    title: 'Saved views',
    purpose: 'Lists with their filter and columns under a name: of a user, or shared by all of a connection.',
  }),
  metricPins: own('metric-pins:{connection}:{id}', 'hash', 'persistent', {
    title: 'Pinned metrics',
    purpose: "The metrics on a user's overview of a connection.",
  }),
  metricPinners: own('metric-pinners:{connection}', 'set', 'persistent', {
    title: 'Who pinned metrics',
    purpose: 'The users whose pins are sampled first.',
  }),

  // What users typed
  commandLines: own('command-lines:{connection}:{id}', 'list', within(1, 30 * DAY), {
    title: 'Command line histories',
    purpose: 'The last lines that a user ran on the command line of a connection, with values masked.',
  }),

  // Notes and metadata about bans, flags and variables
  ban: own('ban:{connection}', 'hash', 'persistent', {
    title: 'Ban notes',
    purpose: 'Author, note and expiry of bans, author and note of blocked projects.',
  }),
  banPlan: own('ban-plan:{connection}:{id}', 'set', 'any', {
    title: 'Ban groups',
    purpose: 'Addresses whose bans one scheduled task lifts.',
  }),
  flagNote: own('flag:{connection}', 'hash', 'persistent', {
    title: 'Change notes',
    purpose: 'Who changed each environment variable or feature flag last, and why.',
  }),
  longKey: own('long-key:{digest}', 'string', within(1, DAY), {
    sensitiveValue: true,
    title: 'Long key names',
    purpose: 'The sealed name of a key that is too long for a link, while the link works.',
  }),
  longKeys: own('long-keys', 'zset', within(1, DAY), {
    title: 'Long key index',
    purpose: 'Handles of long key names by the time they were listed, to limit their number.',
  }),
  variableNames: own('variable-names:{connection}', 'string', within(HOUR, 7 * DAY), {
    sensitiveValue: true,
    title: 'Variable names',
    purpose: 'Names of environment variables and flags found by the last scan, sealed.',
  }),
  flagNames: own('flag-names:{connection}', 'string', within(HOUR, 7 * DAY), {
    sensitiveValue: true,
    title: 'Flag names',
    purpose: 'Names of flags that are no variables, found by the last scan, sealed.',
  }),
  flagDescription: own('flag-description:{connection}', 'hash', 'persistent', {
    title: 'Flag descriptions',
    purpose: 'Descriptions of feature flags.',
  }),
  flagDetails: own('flag-details:{connection}', 'hash', 'persistent', {
    title: 'Flag details',
    purpose: 'Owner, kind and tags of feature flags.',
  }),
  flagSeen: own('flag-seen:{connection}', 'hash', 'persistent', {
    title: 'Flag first-seen times',
    purpose: 'Since when each feature flag is known to have its current value, stored as a digest.',
  }),
  flagRequest: own('flag-request:{connection}', 'hash', 'persistent', {
    title: 'Flag requests',
    purpose: 'Changes of feature flags that wait for approval.',
  }),
  approvalRequest: own('approval-request:{connection}', 'hash', 'persistent', {
    title: 'Requests for approval',
    purpose: 'Changes that wait for approval, without their input; expired ones for a week.',
  }),
  approvalInput: own('approval-input:{connection}:{id}', 'string', within(1, 30 * DAY), {
    sensitiveValue: true,
    title: 'Inputs of requests',
    purpose: 'The sealed input of a change that waits for approval, until the request expires.',
  }),
  envBackup: own('env-backup:{connection}:{id}', 'string', 'any', {
    sensitiveValue: true,
    title: 'Variable backups',
    purpose: 'All environment variables of a connection at one moment, sealed under a key of the console.',
  }),
  envBackups: own('env-backups:{connection}', 'hash', 'persistent', {
    title: 'Backup index',
    purpose: 'When and why each backup of variables was created, and its number of variables.',
  }),
  queueHistory: own('queue-history:{connection}:{queue}:{resolution}', 'stream', within(1, 8 * DAY), {
    title: 'Queue history',
    purpose: 'Length of a queue, and what was added to and taken from it, at one resolution.',
  }),
  queueHistories: own('queue-histories:{connection}', 'zset', within(1, 8 * DAY), {
    title: 'Queue history index',
    purpose: 'Queues with a history by the time they were last sampled, to limit their number.',
  }),
  queueStates: own('queue-states:{connection}', 'hash', within(1, DAY), {
    sensitiveValue: true,
    title: 'Queues, last sample',
    purpose: 'Sealed names of the sampled queues with what the last minute added and took.',
  }),

  // Alerts
  alertRules: own('alert-rules:{connection}', 'hash', 'persistent', {
    title: 'Alert rules',
    purpose: 'The alert rules of a connection.',
  }),
  alertSilences: own('alert-silences:{connection}', 'hash', 'persistent', {
    title: 'Silences of alerts',
    purpose: 'Silences by alert rule: until when, who and why.',
  }),
  alertChannels: own('alert-channels:{connection}', 'hash', 'persistent', {
    sensitiveValue: true,
    title: 'Alert channels',
    purpose: 'Where alerts are delivered; addresses and signing keys are sealed.',
  }),
  alertStates: own('alert-states:{connection}', 'hash', 'persistent', {
    title: 'Alert states',
    purpose: 'What is pending or firing, by alert rule.',
  }),
  alertEvents: own('alert-events:{connection}', 'hash', 'persistent', {
    title: 'Alerts that fired',
    purpose: 'When an alert fired and resolved, and its deliveries: the last 5000 of 90 days.',
  }),
  alertHistory: own('alert-history:{connection}', 'zset', 'persistent', {
    title: 'Alert history index',
    purpose: 'Ids of alerts by the time they fired.',
  }),
  alertDue: own('alert-due:{connection}', 'zset', 'persistent', {
    title: 'Alert deliveries',
    purpose: 'Alerts with unfinished deliveries, by the time of the next attempt.',
  }),
  alertEvaluation: own('alert-evaluation:{connection}', 'string', within(1, 60), {
    title: 'Alert evaluation',
    purpose: 'When alert rules were last evaluated; gone after a gap.',
  }),
  alertTests: own('alert-tests:{connection}', 'string', within(1, 60), {
    title: 'Alert tests',
    purpose: 'Test messages of the last minute, to limit them.',
  }),
  alertResults: own('alert-results:{connection}', 'hash', 'persistent', {
    title: 'Alert channels, last attempt',
    purpose: 'By channel: when it was last tried, and what failed since when.',
  }),

  // Notifications
  notifications: own('notifications', 'hash', 'persistent', {
    title: 'Notifications',
    purpose: 'Whom Keyward tells what of the audit log, and through which channels.',
  }),
  notificationStates: own('notification-states', 'hash', 'persistent', {
    title: 'Notification states',
    purpose: 'How far the audit log was read, requests that wait, and the last digest of each notification.',
  }),
  notificationMessages: own('notification-messages', 'hash', 'persistent', {
    title: 'Notification messages',
    purpose: 'Messages that are not delivered yet; at most 30 of a notification.',
  }),
  notificationHistory: own('notification-history', 'zset', 'persistent', {
    title: 'Notification messages by time',
    purpose: 'Ids of messages that are not delivered yet, by the time they were written.',
  }),
  notificationDue: own('notification-due', 'zset', 'persistent', {
    title: 'Notification deliveries',
    purpose: 'Messages with unfinished deliveries, by the time of the next attempt.',
  }),
  notificationTests: own('notification-tests', 'string', within(1, 60), {
    title: 'Notification tests',
    purpose: 'Test messages of the last minute, to limit them.',
  }),
} as const satisfies Record<string, Family>;
