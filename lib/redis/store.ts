import 'server-only';
import { Redis } from 'ioredis';
import { env } from '@/lib/env';
import { Problem } from '@/lib/errors';
import { processWide } from '@/lib/process-wide';
import { type Client, connectToStore, optionsOfStore, type StoreAddress } from './client';
import { isRefusal, storeUnavailable } from './failure';
import { runScript, script } from './scripts';

/** Adding to the queue fails immediately while the store is unreachable; a worker waits until it is back. */
const QUEUE_CLIENTS = {
  add: { maxRetriesPerRequest: 0, enableOfflineQueue: false, autoResendUnfulfilledCommands: false },
  work: { maxRetriesPerRequest: null, enableReadyCheck: false },
} as const;

const queueClient = (at: StoreAddress, purpose: keyof typeof QUEUE_CLIENTS): Redis => {
  const redis = new Redis({
    ...optionsOfStore(at),
    protocol: 2,
    ...QUEUE_CLIENTS[purpose],
    // An operator reading CLIENT LIST sees which process this is.
    connectionName: `keyward-queue-${process.pid}`,
    retryStrategy: (attempt) => Math.min(2000, 50 * 2 ** Math.min(attempt, 6)) * (0.75 + Math.random() * 0.5),
  });
  redis.on('error', () => undefined);
  return redis;
};

/**
 * The console's own Redis. Unlike a user's Redis, the ranks that own its keys may write it directly: the audit log,
 * history, accounts, jobs and the sampler.
 */
export interface Store {
  /** Runs `work` with the client; an unreachable store is a 503 `Problem`. */
  use<T>(work: (redis: Redis) => Promise<T>): Promise<T>;
  run(
    name: string,
    keys: readonly (Buffer | string)[],
    args: readonly (Buffer | string | number)[],
  ): Promise<unknown>;
  state(): { state: 'ready' | 'connecting' | 'unreachable'; reason: string | null };
  /** A separate client for blocking commands (stream reads). The caller closes it. */
  dedicated(purpose: string): Client;
  /** A client for the job queue, which handles its errors. The caller closes it. */
  queue(purpose: keyof typeof QUEUE_CLIENTS): Redis;
  close(): void;
}

export const openStore = (url: string, tls: StoreAddress['tls'] = null): Store => {
  const at = { url, tls };
  const client = connectToStore(at, 'store');
  const use = async <T>(work: (redis: Redis) => Promise<T>): Promise<T> => {
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
  return {
    use,
    run: (name, keys, args) => use((redis) => runScript(redis, script(name), keys, args)),
    state: () => ({ state: client.state(), reason: client.reason() }),
    dedicated: (purpose) => connectToStore(at, purpose, { commandTimeout: undefined }),
    queue: (purpose) => queueClient(at, purpose),
    close: () => client.close(),
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
  const { storeUrl: url, storeTls } = env();
  if (!url) throw new Error('KEYWARD_STORE_URL is not set: start the console with `npm start`.');
  return openStore(url, storeTls);
});

export const closeStore = (): void => {
  store.made()?.close();
  store.forget();
};
