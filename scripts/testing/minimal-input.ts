import { z } from 'zod';
import type { Contract } from '@/lib/contract';

const NOWHERE = '00000000-0000-7000-8000-000000000000';
const PROJECT = '0123456789abcdef01234567';
/** The id of `topic:id:404`. */
const KEY = 'dG9waWM6aWQ6NDA0';
/** The ids of `queue:none` and `leaderboard:none`. */
const QUEUE = 'cXVldWU6bm9uZQ';
const LEADERBOARD = 'bGVhZGVyYm9hcmQ6bm9uZQ';
/** The id of `metrics:none:daily`. */
const METRIC = 'bWV0cmljczpub25lOmRhaWx5';

/** Values of required fields by name, about missing resources. */
const FIELDS: Record<string, unknown> = {
  at: '2099-01-01T00:00:00Z',
  channelId: KEY,
  channels: ['nothing'],
  code: '000000',
  email: 'x@example.org',
  family: 'discours.shouts',
  from: '2026-01-01T00:00:00Z',
  id: NOWHERE,
  ips: ['192.0.2.1'],
  keyId: KEY,
  keyIds: [KEY],
  kind: 'author',
  newPassword: 'long-enough-1',
  passphrase: 'twelve characters',
  password: 'long-enough-1',
  projectId: PROJECT,
  projectIds: [PROJECT],
  role: 'viewer',
  seconds: 1,
  to: '2026-01-01T01:00:00Z',
  until: '2035-01-01T00:00:00Z',
  userId: '1',
};
/** For other fields: the first that the field takes. */
const OTHERS = ['x', NOWHERE, 1, true];

const TERMS = { source: { metric: 'keyward_redis_keys' }, condition: 'above', value: 1 };
const NOTIFICATION = { about: ['alarms'], channels: [{ connection: 'x', channel: NOWHERE }] };
const NAME = { text: 'topic:id:405' };

/** Fields whose meaning depends on the domain. */
const DOMAINS: Record<string, Record<string, unknown>> = {
  env: { name: 'NONE' },
  flags: { name: 'FEATURE_NONE' },
  leaderboards: { keyId: LEADERBOARD },
  metrics: { keyId: METRIC },
  queues: { keyId: QUEUE },
};

/** Fields that the schemas do not require one by one, or that have a form of their own. */
const OPERATIONS: Record<string, Record<string, unknown>> = {
  'account.addPasskey': { answer: { id: 'x', response: {} } },
  'account.stepUp': { factor: { code: '000000' } },
  'alerts.channels.create': { kind: 'slack', url: 'https://192.0.2.1/x' },
  'alerts.create': TERMS,
  'alerts.preview': TERMS,
  'alerts.update': TERMS,
  'analysis.schedule.set': { every: 'off', at: '03:00' },
  'annotations.create': { at: new Date().toISOString() },
  'approvals.request': { operation: 'savedViews.delete', input: { id: NOWHERE } },
  'channels.audience': { channel: 'nothing' },
  'channels.publish': { channel: 'nothing' },
  'channels.tail': { channels: ['nothing'] },
  'clients.kill': { id: '404404404', address: '127.0.0.1:1' },
  'commandLine.run': { line: 'PING' },
  'commandLine.complete': { line: 'GE' },
  'conventions.fix': { rule: 'ttl-required' },
  'conventions.waive': { rule: 'name-case' },
  'conversations.messages': { kind: 'chat', id: '1:2' },
  'conversations.deleteMessage': { kind: 'chat', id: '1:2', messageId: `0.0.${'x'.repeat(27)}` },
  'entities.check': { family: 'discours.author-followers' },
  'entities.get': { id: '404' },
  'entities.relation': { id: '404', relation: 'followers' },
  'families.invalidate': { family: 'discours.shouts' },
  'families.preview': { family: 'discours.shouts' },
  'families.setTtl': { family: 'discours.shouts', ttlSeconds: 300 },
  'guard.blacklist.annotate': { ips: ['192.0.2.1'], note: 'x' },
  'guard.blacklist.remove': { ips: ['192.0.2.1'] },
  'guard.entries.history': { set: 'bans', entry: '192.0.2.1' },
  'guard.projects.unblock': { projectIds: [PROJECT] },
  'guard.rateLimits.repair': { projectId: PROJECT },
  'guard.rateLimits.reset': { projectId: PROJECT },
  'guard.rateLimits.whatIf': { limit: '100', periodSeconds: '60' },
  'hitRates.sample': { seconds: 0.1 },
  'hitRates.sampling.set': { on: false },
  'jobs.setPace': { pace: 'faster' },
  'keys.create': { name: NAME, value: { type: 'string', value: { text: 'x' } }, ttlSeconds: 60 },
  'keys.duplicate': { name: NAME },
  'keys.import': { file: '{"format":"keyward-keys","v":1}' },
  'keys.rename': { name: NAME },
  'keys.update': { edit: { op: 'setString', value: { text: 'x' } } },
  'locks.release': { keyId: 'bG9jazpwdWJsaXNoOjQwNA' },
  'notifications.create': NOTIFICATION,
  'notifications.test': { channels: NOTIFICATION.channels },
  'notifications.update': NOTIFICATION,
  'ofrep.evaluate': { key: 'FEATURE_NONE' },
  'overview.putOff': { until: null },
  'presence.setOffline': { userId: 'nobody' },
  'savedViews.create': { table: 'sessions', href: '/main/sessions', columns: {}, shared: false },
  'sessions.repair': { kinds: ['ghost'] },
  'sessions.revoke': { userId: '1' },
  'tokens.api.create': { expiresAt: null },
  'tokens.oauth.revoke': { filter: { userId: '1' } },
  'tokens.oauthStates.revoke': { filter: { provider: 'none' } },
  'tokens.verification.revoke': { filter: { userId: '1' } },
};

const fieldsOf = (input: z.ZodType): [string, z.ZodType][] =>
  input instanceof z.ZodObject ? Object.entries(input.shape as Record<string, z.ZodType>) : [];

/**
 * An input that the operation accepts, about missing resources: the fields that its schema requires. Where it can count
 * what it would do, it only counts.
 */
export const minimalInput = ({ id, input }: Contract): Record<string, unknown> => {
  const own = { ...DOMAINS[id.split('.')[0]!], ...OPERATIONS[id] };
  const fields = fieldsOf(input).flatMap(([name, field]) => {
    if (name === 'dryRun') return [[name, true]];
    if (field.safeParse(undefined).success) return name in (OPERATIONS[id] ?? {}) ? [[name, own[name]]] : [];
    const value = [own[name], FIELDS[name], ...OTHERS].find((example) => field.safeParse(example).success);
    if (value === undefined) throw new Error(`${id}: add an example of ${name} to minimal-input.ts`);
    return [[name, value]];
  });
  return Object.fromEntries(fields);
};
