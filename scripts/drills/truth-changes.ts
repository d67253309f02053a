// Changes that the console makes to the same keys in one server and in a cluster.
import type { PrivateConsole } from '../testing/private-console';
import { get, request } from './api';

type Body = Record<string, unknown>;

/** Reads what a change needs as input, on the connection to change. */
export interface Place {
  own: PrivateConsole;
  connection: string;
}

export interface Step {
  id: string;
  input: Body | ((place: Place) => Promise<Body>);
  /** Whether it has no undo, or only reads. */
  isFinal?: true;
  /** Whether expiries are random, or relative to the time of the change. */
  setsExpiries?: true;
  /** Fields of its result that are not compared, with the reason. */
  except?: Record<string, string>;
}

const read = async <T>({ own, connection }: Place, path: string): Promise<T> => {
  const { status, body } = await get<T>(own, `/api/v1/connections/${connection}${path}`);
  if (status !== 200) throw new Error(`${path}: ${status}`);
  return body;
};

const keyIdOf = (key: string): string => Buffer.from(key).toString('base64url');

const ofKey =
  (key: string, more: Body = {}) =>
  async (place: Place): Promise<Body> => {
    const keyId = keyIdOf(key);
    const { etag } = await read<{ etag: string }>(place, `/keys/${keyId}`);
    return { keyId, etag, ...more };
  };

interface Variables {
  groups: { variables: { name: string; etag: string }[] }[];
}

const ofVariable =
  (name: string, more: Body = {}) =>
  async (place: Place): Promise<Body> => {
    const { groups } = await read<Variables>(place, '/env');
    const variable = groups
      .flatMap(({ variables }) => variables)
      .find((candidate) => candidate.name === name);
    return { name, etag: variable?.etag ?? 'none', ...more };
  };

const ofFlag =
  (name: string, more: Body = {}) =>
  async (place: Place): Promise<Body> => {
    const { items } = await read<{ items: { name: string; etag: string }[] }>(place, '/flags?limit=1000');
    return { name, etag: items.find((item) => item.name === name)?.etag ?? 'none', ...more };
  };

const someMessage = async (place: Place): Promise<Body> => {
  const items: { kind: string; id: string }[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/conversations?limit=1000${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const page: { items: typeof items; nextCursor: string | null } = await read(place, path);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  const nameOf = (entity: { kind: string; id: string }): string => `${entity.kind} ${entity.id}`;
  const { kind, id } = items.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))[0]!;
  const asked = new URLSearchParams({ kind, id });
  const messages = await read<{ items: { id: string }[] }>(place, `/conversations/messages?${asked}`);
  return { kind, id, messageId: messages.items[0]!.id };
};

const limitedProject = async (place: Place): Promise<Body> => {
  const { items } = await read<{ items: { projectId: string }[] }>(place, '/guard/rate-limits?state=limited');
  return { projectId: items.map(({ projectId }) => projectId).sort()[0] };
};

const unreadableProject = async (place: Place): Promise<Body> => {
  const { items } = await read<{ items: { projectId: string }[] }>(
    place,
    '/guard/rate-limits?state=unreadable',
  );
  return { projectId: items[0]!.projectId, replace: true };
};

const someProject = async (place: Place): Promise<Body> => {
  const { items } = await read<{ items: { projectId: string }[] }>(place, '/guard/rate-limits?state=ok');
  return {
    projectIds: items
      .map(({ projectId }) => projectId)
      .sort()
      .slice(0, 3),
  };
};

const someLock = async (place: Place): Promise<Body> => {
  const { items } = await read<{ items: { key: string; etag: string }[] }>(place, '/locks');
  const { key, etag } = items.sort((a, b) => (a.key < b.key ? -1 : 1))[0]!;
  return { keyId: keyIdOf(key), etag };
};

const online = async (place: Place): Promise<Body> => {
  const { items } = await read<{ items: { id: string }[] }>(place, '/presence?limit=1000');
  return { userId: items.map(({ id }) => id).sort()[0] };
};

const PASSPHRASE = 'a passphrase of the drill';
const backup = async ({ own, connection }: Place): Promise<Body> => {
  const path = `/api/v1/connections/${connection}/env-backups`;
  const response = await request(own, path, 'POST', { passphrase: PASSPHRASE });
  return { file: ((await response.json()) as { file: string }).file, passphrase: PASSPHRASE };
};

const IMPORT = [
  'SMTP_HOST=changed.example.org',
  'LOG_LEVEL=debug',
  ...Array.from({ length: 20 }, (_, n) => `NEW_${n}=${n}`),
];
const REPAIRS = ['staleIndex', 'unindexed', 'ghost', 'legacy', 'noTtl'];
const RULES = [
  'name-format',
  'name-case',
  'name-empty-part',
  'ttl-required',
  'ttl-band',
  'ttl-jitter',
  'lock-ttl',
  'null-marker-ttl',
  'collection-length',
  'abandoned-keys',
];

const OF_FIRST_USERS = { stillValid: 'is listed of the users that were found first' };

const preview = (input: Body): Step => ({
  id: 'families.preview',
  input,
  isFinal: true,
  except: { bytes: 'follows from the memory' },
});

/** In order of execution; each is undone before the next one, unless it is final. */
export const STEPS: readonly Step[] = [
  { id: 'analysis.start', input: {}, isFinal: true, except: { done: 'counts calls' } },
  { id: 'conventions.check', input: {}, isFinal: true },
  ...['author', 'topic', 'user', 'minidouyin.user', 'video', 'activity'].map(
    (kind): Step => ({ id: 'entities.check', input: { kind }, isFinal: true }),
  ),
  {
    id: 'catalog.infer',
    input: { prefixes: ['legacy_cache:', 'tmp_'] },
    isFinal: true,
    except: { yaml: 'has examples, the first that were found', examples: 'likewise' },
  },
  { id: 'env.export', input: {}, isFinal: true },
  { id: 'ofrep.evaluateAll', input: {}, isFinal: true, except: { connection: 'its name' } },
  { id: 'diagnostics.key', input: { name: 'env_vars:LOG_LEVEL' }, isFinal: true },
  { id: 'keys.export', input: { keyIds: ['env_vars:LOG_LEVEL', 'topic:id:1'].map(keyIdOf) }, isFinal: true },
  ...['author-id', 'topic-id', 'author-followers', 'shouts'].map(
    (name): Step => preview({ family: `discours.${name}` }),
  ),
  preview({ entity: { kind: 'author', id: '5' } }),
  preview({ pattern: 'topic*' }),
  { id: 'sessions.repair', input: { kinds: REPAIRS, dryRun: true }, isFinal: true },
  ...RULES.map(
    (rule): Step => ({
      id: 'conventions.fix',
      input: { rule, dryRun: true },
      isFinal: true,
    }),
  ),

  { id: 'families.invalidate', input: { family: 'discours.author-id' } },
  { id: 'families.invalidate', input: { pattern: 'topic*' } },
  { id: 'families.invalidate', input: { entity: { kind: 'author', id: '5' } } },
  { id: 'families.setTtl', input: { family: 'discours.author-id', ttlSeconds: 600 }, setsExpiries: true },
  { id: 'env.set', input: ofVariable('LOG_LEVEL', { value: 'debug' }) },
  { id: 'env.create', input: { name: 'CREATED', value: 'x' } },
  { id: 'env.rename', input: ofVariable('LOG_LEVEL', { newName: 'LOG_LEVEL_OF_THE_APPLICATION' }) },
  { id: 'env.delete', input: ofVariable('LOG_LEVEL') },
  { id: 'env.import', input: { text: IMPORT.join('\n') } },
  { id: 'flags.set', input: ofFlag('FEATURE_CHAT', { enabled: true }) },
  { id: 'flags.create', input: { name: 'FEATURE_CREATED', enabled: true } },
  { id: 'flags.delete', input: ofFlag('FEATURE_CHAT') },
  { id: 'guard.blacklist.add', input: { ips: ['192.0.2.3', '192.0.2.4'] } },
  { id: 'guard.blacklist.remove', input: { ips: ['192.0.2.200', '203.0.113.66'] } },
  { id: 'guard.projects.block', input: someProject },
  { id: 'guard.rateLimits.reset', input: limitedProject },
  { id: 'guard.rateLimits.repair', input: unreadableProject },
  { id: 'keys.update', input: ofKey('topic:id:1', { edit: { op: 'setString', value: { text: 'y' } } }) },
  { id: 'keys.setTtl', input: ofKey('topic:id:1', { ttlSeconds: 600 }), setsExpiries: true },
  { id: 'keys.delete', input: ofKey('topic:id:1') },
  {
    id: 'keys.rename',
    input: ofKey('topic:id:1', { name: { text: 'topic:id:9001' } }),
  },
  {
    id: 'keys.duplicate',
    input: ofKey('topic:id:1', { name: { text: 'topic:id:9002' } }),
  },
  {
    id: 'keys.create',
    input: {
      name: { text: 'topic:id:9003' },
      ttlSeconds: null,
      value: { type: 'string', value: { text: 'x' } },
    },
  },
  { id: 'presence.setOffline', input: online },
  { id: 'conversations.deleteMessage', input: someMessage },
  ...RULES.map((rule): Step => ({ id: 'conventions.fix', input: { rule }, setsExpiries: true })),

  { id: 'locks.release', input: someLock, isFinal: true },
  { id: 'env.import', input: { text: IMPORT.join('\n') }, isFinal: true },
  { id: 'env.restore', input: backup, isFinal: true, except: { connection: 'its name' } },
  { id: 'sessions.revoke', input: { userId: '1' }, isFinal: true },
  { id: 'sessions.revoke', input: { filter: { device: 'firefox' } }, isFinal: true, except: OF_FIRST_USERS },
  { id: 'tokens.oauth.revoke', input: { filter: { provider: 'google' } }, isFinal: true },
  { id: 'tokens.verification.revoke', input: { filter: { type: 'email_change' } }, isFinal: true },
  { id: 'tokens.oauthStates.revoke', input: { filter: { provider: 'google' } }, isFinal: true },
  { id: 'sessions.repair', input: { kinds: REPAIRS }, isFinal: true, setsExpiries: true },
  { id: 'sessions.repair', input: { kinds: REPAIRS, dryRun: true }, isFinal: true, setsExpiries: true },
  { id: 'sessions.revoke', input: { filter: { state: 'live' } }, isFinal: true, except: OF_FIRST_USERS },
];
