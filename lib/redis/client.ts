import 'server-only';
import { readFileSync } from 'node:fs';
import { Redis, type RedisOptions } from 'ioredis';
import type { ConnectionConfig } from '@/lib/env';
import { describeFailure } from './failure';

export type ClientState = 'connecting' | 'ready' | 'unreachable';

/** One ioredis client with an honest state: what it is doing, since when, and why it cannot. */
export interface Client {
  redis: Redis;
  state(): ClientState;
  reason(): string | null;
  /** Resolves when ready; rejects with the last failure when that takes longer than `withinMs`. */
  ready(withinMs?: number): Promise<void>;
  close(): void;
}

const RETRY_CEILING_MS = 2000;
const COMMAND_TIMEOUT_MS = 5000;
const CONNECT_TIMEOUT_MS = 5000;

/** Doubling delay with jitter, never above 2 s plus jitter, so that recovery shows within 5 s. */
const retryStrategy = (attempt: number): number =>
  Math.min(RETRY_CEILING_MS, 50 * 2 ** Math.min(attempt, 10)) * (0.75 + Math.random() * 0.5);

const BASE: RedisOptions = {
  protocol: 2,
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: CONNECT_TIMEOUT_MS,
  commandTimeout: COMMAND_TIMEOUT_MS,
  retryStrategy,
};

const tlsOptions = (config: ConnectionConfig): RedisOptions => {
  if (!config.tls) return {};
  const { ca, cert, key } = config.tls;
  const read = (path?: string) => (path ? readFileSync(path) : undefined);
  return { tls: { ca: read(ca), cert: read(cert), key: read(key) } };
};

export const wrapClient = (redis: Redis): Client => {
  let failure: unknown = null;
  // Every caller that waits for readiness listens.
  redis.setMaxListeners(0);
  // Without a listener ioredis logs "Unhandled error event" for every retry.
  redis.on('error', (error: unknown) => {
    failure = error;
  });
  redis.on('ready', () => {
    failure = null;
  });
  const state = (): ClientState => {
    if (redis.status === 'ready') return 'ready';
    return failure ? 'unreachable' : 'connecting';
  };
  const ready = (withinMs = 2000): Promise<void> => {
    if (redis.status === 'ready') return Promise.resolve();
    if (redis.status === 'wait') redis.connect().catch(() => undefined);
    return new Promise((resolve, reject) => {
      const settle = (done: () => void) => {
        clearTimeout(timer);
        redis.off('ready', onReady);
        redis.off('error', onError);
        done();
      };
      const onReady = () => settle(resolve);
      const onError = (error: unknown) => settle(() => reject(error));
      const timer = setTimeout(
        () => settle(() => reject(failure ?? new Error('connect timeout'))),
        failure ? Math.min(withinMs, 250) : withinMs,
      );
      redis.on('ready', onReady);
      redis.on('error', onError);
    });
  };
  return {
    redis,
    state,
    reason: () => (state() === 'ready' ? null : failure ? describeFailure(failure) : 'connecting'),
    ready,
    close: () => redis.disconnect(),
  };
};

/** `host:port`, as document 003 writes REDIS_URL, becomes a URL. */
export const normaliseUrl = (url: string): string => {
  if (url.startsWith('redis+unix://')) return url.replace('redis+unix://', '');
  return url.includes('://') || url.startsWith('/') ? url : `redis://${url}`;
};

/** A client for one named connection. Its `/db` is selected by ioredis at connect: the only SELECT there is. */
export const connectTo = (config: ConnectionConfig, purpose: string, options: RedisOptions = {}): Client => {
  if (!config.url)
    throw new Error(`Connection "${config.id}" has no URL: only standalone servers are supported yet.`);
  const password = config.password ? { password: config.password } : {};
  return wrapClient(
    new Redis(normaliseUrl(config.url), {
      ...BASE,
      ...password,
      ...tlsOptions(config),
      connectionName: `keyward-${purpose}`,
      ...options,
    }),
  );
};

/** A client for the console's own store. */
export const connectToUrl = (url: string, purpose: string, options: RedisOptions = {}): Client =>
  wrapClient(new Redis(normaliseUrl(url), { ...BASE, connectionName: `keyward-${purpose}`, ...options }));
