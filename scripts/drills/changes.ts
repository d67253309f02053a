import { seedEveryDamage } from '../testing/damage';
import type { PrivateConsole } from '../testing/private-console';
import { get, MAIN, post } from './api';
import { seedAuthors } from './keys';
import type { Operation } from './operations';

const PROJECTS = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(24));
const [BLOCKED, FREE, LIMITED, UNREADABLE] = PROJECTS as [string, string, string, string];
const NOWHERE = '00000000-0000-7000-8000-000000000000';
const PASSPHRASE = 'a passphrase of the drill';
const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toISOString();
const VARIABLES = ['SET', 'OLD_NAME', 'DELETED', 'SHOWN', 'RESTORED'];
const FLAGS = ['FEATURE_SET', 'FEATURE_DELETED', 'FEATURE_PLANNED'];

/** Keys that `keys.*` change, one for each operation. */
const KEYS = { edited: 7001, expiring: 7002, deleted: 7003, renamed: 7004, duplicated: 7005 } as const;
const LOCK = 'lock:publish:7009';
const topic = (id: number): string => `topic:id:${id}`;

/** A small keyspace in which every operation finds something to do. */
export const seedAll = async ({ app: { client } }: PrivateConsole): Promise<void> => {
  await seedEveryDamage(client);
  await seedAuthors(client, 300);
  for (const name of VARIABLES) await client.set(`env_vars:${name}`, 'x');
  for (const name of FLAGS) await client.set(`env_vars:${name}`, 'true');
  for (const key of Object.values(KEYS).map(topic)) await client.set(key, 'x');
  await client.set(LOCK, 'owner-of-the-drill', 'EX', 3600);
  await client.set('oauth_access:1:google', 'token-of-the-drill', 'EX', 600);
  await client.hset('verification:1:email_change:Zq7pXv2mLr9tKw1', { user_id: '1' });
  await client.hset('oauth_state:Zq7pXv2mLr9tKw2', { provider: 'google' });
  await client.sadd('BlacklistIPsSet', '192.0.2.1', '192.0.2.2');
  await client.sadd('DisabledProjectsSet', BLOCKED);
  await client.hset('rate_limits', { [LIMITED]: `${Math.floor(Date.now() / 1000)}:5`, [UNREADABLE]: 'x' });
};

export interface Change {
  id: string;
  input: Record<string, unknown>;
  /** Whether it only deletes, which a full server must still do. */
  deletes?: true;
}

interface Listed {
  groups: { variables: { name: string; etag: string }[] }[];
}

const tokenChanges: readonly Change[] = [
  { id: 'tokens.oauth.revoke', input: { filter: { userId: '1' } }, deletes: true },
  { id: 'tokens.verification.revoke', input: { filter: { userId: '1' } }, deletes: true },
  { id: 'tokens.oauthStates.revoke', input: { filter: { provider: 'google' } }, deletes: true },
];

const sessionChanges: readonly Change[] = [
  { id: 'sessions.revoke', input: { userId: '3' }, deletes: true },
  { id: 'sessions.revoke', input: { filter: { username: 'bob' } }, deletes: true },
  { id: 'sessions.repair', input: { kinds: ['staleIndex', 'ghost', 'legacy'] }, deletes: true },
  { id: 'sessions.repair', input: { kinds: ['unindexed', 'noTtl'] } },
];

const guardChanges: readonly Change[] = [
  { id: 'guard.blacklist.add', input: { ips: ['192.0.2.3'], note: 'drill' } },
  { id: 'guard.blacklist.annotate', input: { ips: ['192.0.2.1'], note: 'drill' } },
  { id: 'guard.blacklist.remove', input: { ips: ['192.0.2.2'] }, deletes: true },
  { id: 'guard.projects.block', input: { projectIds: [FREE] } },
  { id: 'guard.projects.unblock', input: { projectIds: [BLOCKED] }, deletes: true },
  { id: 'guard.rateLimits.reset', input: { projectId: LIMITED }, deletes: true },
  { id: 'guard.rateLimits.repair', input: { projectId: UNREADABLE, replace: true } },
  { id: 'presence.setOffline', input: { userId: 'nobody' } },
  // Reads that are sent as POST.
  { id: 'channels.tail', input: { channels: ['drill'] } },
  { id: 'channels.audience', input: { channel: 'drill' } },
  { id: 'diagnostics.key', input: { name: 'drill' } },
  { id: 'channels.publish', input: { channel: 'drill', payload: 'x' } },
  { id: 'metrics.pin', input: { keyId: Buffer.from('metrics:drill:daily').toString('base64url') } },
  { id: 'metrics.unpin', input: { id: NOWHERE } },
  {
    id: 'conversations.deleteMessage',
    input: { kind: 'chat', id: '1:2', messageId: `0.0.${'x'.repeat(27)}` },
  },
];

const cacheChanges: readonly Change[] = [
  { id: 'families.preview', input: { family: 'discours.author-id' } },
  { id: 'families.setTtl', input: { family: 'discours.author-id', ttlSeconds: 600 } },
  { id: 'conventions.fix', input: { rule: 'ttl-required' } },
  { id: 'families.invalidate', input: { family: 'discours.author-id', params: { id: '1*' } }, deletes: true },
  { id: 'hitRates.sample', input: { seconds: 0.2, present: '' } },
  { id: 'profiler.start', input: { seconds: 1, consent: true } },
  { id: 'hitRates.sampling.set', input: { on: false } },
  { id: 'catalog.infer', input: { prefixes: ['nothing:'] } },
  { id: 'analysis.start', input: {} },
  { id: 'analysis.schedule.set', input: { every: 'daily', at: '03:00' } },
  { id: 'conventions.check', input: {} },
  { id: 'conventions.waive', input: { rule: 'name-case', why: 'drill', until: '2035-01-01T00:00:00Z' } },
  { id: 'conventions.unwaive', input: { id: NOWHERE }, deletes: true },
  { id: 'entities.check', input: { kind: 'author' } },
];

const RULE = { source: { metric: 'keyward_redis_keys' }, condition: 'above', value: 1 };
const alertChanges: readonly Change[] = [
  { id: 'alerts.create', input: { name: 'drill', ...RULE } },
  { id: 'alerts.update', input: { id: NOWHERE, etag: 'none', name: 'drill', ...RULE } },
  { id: 'alerts.delete', input: { id: NOWHERE, etag: 'none' }, deletes: true },
  { id: 'alerts.silence', input: { id: NOWHERE, until: IN_AN_HOUR } },
  { id: 'alerts.unsilence', input: { id: NOWHERE } },
  { id: 'alerts.channels.create', input: { name: 'drill', kind: 'slack', url: 'https://192.0.2.1/drill' } },
  { id: 'alerts.channels.update', input: { id: NOWHERE, etag: 'none', name: 'drill' } },
  { id: 'alerts.channels.delete', input: { id: NOWHERE, etag: 'none' }, deletes: true },
  { id: 'alerts.test', input: { id: NOWHERE } },
];

const keyIdOf = (key: string): string => Buffer.from(key).toString('base64url');

/** Changes of what Keyward stores. */
const storedChanges: readonly Change[] = [
  { id: 'alerts.preview', input: RULE },
  {
    id: 'approvals.request',
    input: { operation: 'flags.set', input: { name: 'FEATURE_SET', enabled: false, etag: 'none' } },
  },
  ...['approve', 'decline', 'withdraw'].map((what) => ({ id: `approvals.${what}`, input: { id: NOWHERE } })),
  { id: 'channels.reveal', input: { channelId: keyIdOf('drill') } },
  { id: 'overview.putOff', input: { id: 'no-ttl', until: null } },
  {
    id: 'savedViews.create',
    input: { name: 'drill', table: 'sessions', href: '/main/sessions', columns: {}, shared: false },
  },
  { id: 'savedViews.delete', input: { id: NOWHERE }, deletes: true },
];

const envChanges = ({ variables, backup: file }: Seeded): readonly Change[] => {
  const flag = (name: string) => ({ name, etag: variables.get(name) ?? 'none' });
  return [
    { id: 'env.restore', input: { file, passphrase: PASSPHRASE } },
    { id: 'env.set', input: { ...flag('SET'), value: 'another' } },
    { id: 'env.create', input: { name: 'CREATED', value: 'x' } },
    { id: 'env.rename', input: { ...flag('OLD_NAME'), newName: 'NEW_NAME' } },
    { id: 'env.delete', input: flag('DELETED'), deletes: true },
    { id: 'env.import', input: { text: 'IMPORTED=1\nIMPORTED_TOO=2' } },
    { id: 'env.reveal', input: { name: 'SHOWN' } },
    { id: 'env.export', input: {} },
    { id: 'env.backup', input: { passphrase: PASSPHRASE } },
    { id: 'env.backups.create', input: { passphrase: PASSPHRASE } },
    { id: 'flags.set', input: { ...flag('FEATURE_SET'), enabled: false } },
    { id: 'flags.create', input: { name: 'FEATURE_CREATED', enabled: true } },
    { id: 'flags.delete', input: flag('FEATURE_DELETED'), deletes: true },
    { id: 'flags.describe', input: { name: 'FEATURE_PLANNED', description: 'drill' } },
    { id: 'flags.schedule', input: { ...flag('FEATURE_PLANNED'), enabled: false, at: IN_AN_HOUR } },
    { id: 'flags.unschedule', input: { name: 'FEATURE_PLANNED', id: NOWHERE } },
    { id: 'flags.request', input: { ...flag('FEATURE_PLANNED'), enabled: false } },
    ...['approve', 'decline', 'withdraw'].map((what) => ({ id: `flags.${what}`, input: { id: NOWHERE } })),
    { id: 'ofrep.evaluate', input: { key: 'FEATURE_SET' } },
    { id: 'ofrep.evaluateAll', input: {} },
    { id: 'connections.test', input: {} },
    { id: 'commandLine.run', input: { line: 'SET shop:typed 1' } },
    { id: 'commandLine.complete', input: { line: 'GE' } },
    { id: 'commandLine.clearHistory', input: {} },
    { id: 'annotations.create', input: { at: new Date().toISOString(), text: 'Release of the drill' } },
  ];
};

const keyChanges = ({ keys }: Seeded): readonly Change[] => {
  const target = (key: keyof typeof KEYS) => ({
    keyId: keyIdOf(topic(KEYS[key])),
    etag: keys.get(topic(KEYS[key])) ?? 'none',
  });
  return [
    { id: 'keys.update', input: { ...target('edited'), edit: { op: 'setString', value: { text: 'y' } } } },
    { id: 'keys.setTtl', input: { ...target('expiring'), ttlSeconds: 600 } },
    { id: 'keys.rename', input: { ...target('renamed'), name: { text: topic(7006) } } },
    { id: 'keys.duplicate', input: { ...target('duplicated'), name: { text: topic(7007) } } },
    {
      id: 'keys.create',
      input: {
        name: { text: topic(7008) },
        ttlSeconds: null,
        value: { type: 'string', value: { text: 'x' } },
      },
    },
    { id: 'keys.reveal', input: { keyId: keyIdOf(topic(KEYS.edited)) } },
    { id: 'keys.export', input: { keyIds: [keyIdOf(topic(KEYS.edited))] } },
    { id: 'keys.import', input: { file: '{"format":"keyward-keys","v":1}' } },
    { id: 'keys.delete', input: target('deleted'), deletes: true },
  ];
};

/** The etags of the keys, read as their pages read them. */
const keyEtags = async (own: PrivateConsole): Promise<Map<string, string>> => {
  const etags = new Map<string, string>();
  for (const key of Object.values(KEYS).map(topic)) {
    const { body } = await get<{ etag: string }>(own, `${MAIN}/keys/${keyIdOf(key)}`);
    etags.set(key, body.etag);
  }
  return etags;
};

const lockEtag = async (own: PrivateConsole): Promise<string | undefined> => {
  const { body } = await get<{ items: { key: string; etag: string }[] }>(own, `${MAIN}/locks`);
  return body.items.find(({ key }) => key === LOCK)?.etag;
};

/** A client of the drill to kill. It does not connect again, so that nothing is left. */
const startVictim = async ({ app: { client } }: PrivateConsole): Promise<Seeded['victim']> => {
  const victim = client.duplicate({ connectionName: 'victim', retryStrategy: () => null });
  victim.on('error', () => undefined);
  const address = /\baddr=(\S+)/.exec(String(await victim.call('CLIENT', 'INFO')))?.[1];
  return { id: String(await victim.client('ID')), address };
};

/** What the inputs of changes name: etags of variables and keys, a backup, a client. */
interface Seeded {
  variables: ReadonlyMap<string, string>;
  keys: ReadonlyMap<string, string>;
  lock?: string;
  backup: string;
  victim: { id: string; address?: string };
}
const NOTHING: Seeded = { variables: new Map(), keys: new Map(), backup: '', victim: { id: '0' } };

/** Every change of a connection, with its input. */
export const changesWith = (seeded: Seeded = NOTHING): Change[] => [
  ...envChanges(seeded),
  ...keyChanges(seeded),
  { id: 'locks.release', input: { keyId: keyIdOf(LOCK), etag: seeded.lock ?? 'none' }, deletes: true },
  { id: 'clients.kill', input: seeded.victim, deletes: true },
  ...tokenChanges,
  ...sessionChanges,
  ...guardChanges,
  ...cacheChanges,
  ...alertChanges,
  ...storedChanges,
];

/** `changesWith` what is read through connection `main`. */
export const changesOf = async (own: PrivateConsole): Promise<Change[]> => {
  const { body } = await get<Listed>(own, `${MAIN}/env`);
  const variables = body.groups.flatMap((group) => group.variables);
  const backup = await post<{ file: string }>(own, `${MAIN}/env-backups`, { passphrase: PASSPHRASE });
  await own.app.client.set('env_vars:RESTORED', 'changed after the backup');
  return changesWith({
    variables: new Map(variables.map(({ name, etag }) => [name, etag])),
    keys: await keyEtags(own),
    lock: await lockEtag(own),
    backup: backup.body.file,
    victim: await startVictim(own),
  });
};

export const READ_INPUT: Record<string, string> = {
  from: new Date(Date.now() - 600_000).toISOString(),
  to: IN_AN_HOUR,
  userId: '1',
  name: 'FEATURE_SET',
  keyId: keyIdOf(topic(KEYS.edited)),
  channelId: keyIdOf('drill'),
  family: 'discours.author-id',
  projectId: LIMITED,
  auditId: NOWHERE,
  key: 'FEATURE_SET',
};

/** Input of reads that their OpenAPI description does not require by name. */
const MORE_READ_INPUT: Record<string, Record<string, string>> = {
  'guard.rateLimits.whatIf': { limit: '100', periodSeconds: '60' },
};

/** The input of a read: something that `seedAll` stores. */
export const readInput = ({ id, parameters }: Operation): Record<string, string> => {
  const asked = parameters.filter(({ name, required }) => required && name !== 'connection');
  const given = asked.map(({ name }) => [name, READ_INPUT[name] ?? 'x']);
  return { ...Object.fromEntries(given), ...MORE_READ_INPUT[id] };
};
