import 'server-only';
import { Redis, type RedisOptions } from 'ioredis';
import { env } from '@/lib/configuration';
import { Problem } from '@/lib/errors';
import { processWide } from '@/lib/process-wide';
import { type Client, connectToStore, optionsOfStore, type StoreAddress, serverAt } from './client';
import { codeOf, isNotPermitted, isRefusal, storeUnavailable } from './failure';
import { guardConnections } from './handshake';
import type { OwnConnection } from './own-connections';
import { runScript, script } from './scripts';
import { guardWrites } from './store-guard';
import { followPrimary } from './topology/follow-primary';
import { traceCalls } from './traced-calls';

/** Adding to the queue fails immediately while the store is unreachable; a worker waits until it is back. */
const QUEUE_CLIENTS = {
  add: { maxRetriesPerRequest: 0, enableOfflineQueue: false, autoResendUnfulfilledCommands: false },
  work: { maxRetriesPerRequest: null, enableReadyCheck: false },
} as const;

/** How long a replica has to confirm writes. */
const CONFIRM_MS = 500;

const queueClient = (at: StoreAddress, purpose: keyof typeof QUEUE_CLIENTS, options: RedisOptions): Redis => {
  const redis = new Redis({
    protocol: 2,
    ...QUEUE_CLIENTS[purpose],
    // `guardConnections` must come before the first connection.
    lazyConnect: true,
    // An operator reading CLIENT LIST sees which process this is.
    connectionName: `keyward-queue-${process.pid}`,
    retryStrategy: (attempt) => Math.min(2000, 50 * 2 ** Math.min(attempt, 6)) * (0.75 + Math.random() * 0.5),
    // A primary became a replica: the Sentinels know the new one.
    reconnectOnError: ({ message }) => at.sentinel !== null && /\bREADONLY\b/.test(message),
    ...optionsOfStore(at, options),
  });
  redis.on('error', () => undefined);
  if (purpose === 'add') traceCalls(redis, () => serverAt(redis.options));
  return connected(redis);
};

const connected = (redis: Redis): Redis => {
  guardConnections(redis);
  redis.connect().catch(() => undefined);
  return redis;
};

/**
 * The console's own Redis. Unlike a user's Redis, the ranks that own its keys may write it directly: the audit log,
 * history, accounts, jobs and the sampler.
 */
export interface Store {
  /** Whether another server may replace it: writes that no replica confirmed are lost then. */
  readonly mayFailOver: boolean;
  /** Runs `work` with the client; an unreachable store is a 503 `Problem`. */
  use<T>(work: (redis: Redis) => Promise<T>): Promise<T>;
  run(
    name: string,
    keys: readonly (Buffer | string)[],
    args: readonly (Buffer | string | number)[],
  ): Promise<unknown>;
  /**
   * Like `use`. `confirm` resolves with whether a replica received what `work` wrote, within half a second; always
   * true where the store cannot fail over.
   */
  withReplica<T>(work: (redis: Redis, confirm: () => Promise<boolean>) => Promise<T>): Promise<T>;
  state(): { state: 'ready' | 'connecting' | 'unreachable'; reason: string | null };
  /** Why this process writes nothing to the store now, also through clients of the queue; null where it may. */
  refusal(): Problem | null;
  /** How long that has been so for the same reason, ms. */
  refusedForMs(): number;
  /** Every write is rejected with this problem from now on; null allows them again. */
  refuseWrites(why: Problem | null): void;
  /** A separate client for blocking commands (stream reads). The caller closes it. */
  dedicated(purpose: string): Client;
  /** A client for the job queue, which handles its errors. The caller closes it. */
  queue(purpose: keyof typeof QUEUE_CLIENTS): Redis;
  /** Closes every client of this store. */
  close(): void;
}

/** Runs `work` once the client is ready. */
const workOn = async <T>(client: Client, work: (redis: Redis) => Promise<T>): Promise<T> => {
  await client.ready().catch((error) => {
    throw storeUnavailable(error);
  });
  try {
    return await work(client.redis);
  } catch (error) {
    if (error instanceof Problem || (client.state() === 'ready' && !cannotServe(error))) throw error;
    throw storeUnavailable(error);
  }
};

/** Whether a replica received what this connection wrote. WAIT covers only the writes of its own connection. */
const confirmedOn = async (client: Client, before: OwnConnection | null): Promise<boolean> => {
  if (client.connection() !== before) return false;
  const replicas = await client.redis.wait(1, CONFIRM_MS).catch((error: unknown) => {
    throw isNotPermitted(error) ? storeUnavailable(error) : error;
  });
  return replicas >= 1 && client.connection() === before;
};

/** A store at a URL; behind Sentinels its host is the name of the primary. */
export const openStore = (
  url: string,
  { tls = null, sentinel = null }: Partial<Pick<StoreAddress, 'tls' | 'sentinel'>> = {},
): Store => {
  const at = { url, tls, sentinel };
  const clients = new Set<Redis>();
  let refusal: Problem | null = null;
  let refusedAt = 0;
  const primary = sentinel && followPrimary(sentinel, () => clients);
  const following = primary ? { Connector: primary.Connector } : {};
  const kept = (redis: Redis): Redis => {
    clients.add(redis);
    guardWrites(redis, () => refusal);
    redis.once('end', () => clients.delete(redis));
    // A worker of the queue waits on a copy of its client.
    const { duplicate } = redis;
    redis.duplicate = (...options) => kept(connected(duplicate.apply(redis, options)));
    return redis;
  };
  const connect = (purpose: string, options: RedisOptions = {}): Client => {
    const client = connectToStore(at, purpose, { ...options, ...following });
    kept(client.redis);
    return client;
  };
  const client = connect('store');
  // A separate client: WAIT blocks the commands behind it on its connection.
  const confirming = primary ? connect('store-confirmed') : null;
  const withClient: Store['use'] = (work) => workOn(client, work);
  return {
    mayFailOver: primary !== null,
    use: withClient,
    run: (name, keys, args) => withClient((redis) => runScript(redis, script(name), keys, args)),
    withReplica: (work) => {
      if (!confirming) return withClient((redis) => work(redis, async () => true));
      return workOn(confirming, (redis) => {
        const connection = confirming.connection();
        return work(redis, () => confirmedOn(confirming, connection));
      });
    },
    state: () => ({ state: client.state(), reason: client.reason() }),
    refusal: () => refusal,
    refusedForMs: () => performance.now() - refusedAt,
    refuseWrites: (why) => {
      if (why?.message !== refusal?.message) refusedAt = performance.now();
      refusal = why;
    },
    dedicated: (purpose) => connect(purpose, { commandTimeout: undefined }),
    queue: (purpose) => kept(queueClient(at, purpose, following)),
    close: () => {
      for (const client of clients) client.disconnect();
      primary?.close();
    },
  };
};

/** Whether the store is unreachable or refuses every write, rather than this one command. */
const cannotServe = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  if (/\b(OOM|MISCONF|READONLY|EXECABORT|LOADING)\b/.test(error.message)) return true;
  return (
    !isRefusal(error) && (/timed out|closed|aborted|writeable|ECONN/.test(error.message) || 'errno' in error)
  );
};

/** The replies of a pipeline or transaction. Throws the first error, which ioredis leaves to the caller. */
export const allReplies = (replies: [error: Error | null, reply: unknown][] | null): unknown[] =>
  (replies ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });

export const store = processWide('store', () => {
  const { storeUrl: url, storeTls: tls, storeSentinel: sentinel } = env();
  if (!url) throw new Error('KEYWARD_STORE_URL is not set: start the console with `npm start`.');
  return openStore(url, { tls, sentinel });
});

export const closeStore = (): void => {
  store.made()?.close();
  store.forget();
};

/** Why the console must not start on this store, as a sentence; null where it may, or while the store is unreachable. */
export const unsuitableStore = async (own: Store): Promise<string | null> => {
  try {
    await own.use((redis) => redis.ping());
  } catch (error) {
    if (error instanceof Problem && codeOf(error.cause) === 'moved')
      return `KEYWARD_STORE_URL: ${error.message}`;
  }
  return null;
};
