import 'server-only';
import { randomUUID } from 'node:crypto';
import { Redis, type RedisOptions } from 'ioredis';
import type { ConnectionConfig, SentinelConfig } from '@/lib/configuration';
import type { TlsSettings } from '@/lib/configuration-tls';
import { describeFailure, isNotPermitted, withoutArguments } from './failure';
import { watchHandshakes } from './handshake';
import { identify, type OwnConnection, recordConnection } from './own-connections';
import {
  factsOfHello,
  factsOfInfo,
  type Role,
  type ServerFacts,
  unsuitable,
  type WantedServer,
} from './server-facts';
import { tlsOf } from './tls';
import { traceCalls } from './traced-calls';

/** What a client of a node is for. `exact` returns numbers as text. */
export type Purpose = 'read' | 'scan' | 'write' | 'exact';

export type ClientState = 'connecting' | 'ready' | 'unreachable';

/** One ioredis client, its state, the time of its last change, and why it cannot be used. */
export interface Client {
  redis: Redis;
  state(): ClientState;
  reason(): string | null;
  /**
   * The server process behind this client, now or at the last connection: its `run_id`, or a generated id where our
   * user may not read it.
   */
  process(): string | null;
  /** Where the server is or was last, `host:port` or the path of a socket; null before it was found. */
  address(): string | null;
  /** How the server lists the latest connection. */
  connection(): OwnConnection | null;
  role(): Role;
  /**
   * Queries the role again, because a server changes it without telling its clients. The last known role where it does
   * not answer.
   */
  refreshRole(): Promise<Role>;
  /** Resolves when ready; rejects with the last failure when that takes longer than `withinMs`. */
  ready(withinMs?: number): Promise<void>;
  close(): void;
}

const RETRY_CEILING_MS = 1500;
const COMMAND_TIMEOUT_MS = 4000;
/** A socket that is silent for longer while a command is pending is closed: a dead peer may never close it. */
const SOCKET_TIMEOUT_MS = 5000;
const CONNECT_TIMEOUT_MS = 2500;
/** How long a caller waits for a server that is known to be unreachable. */
const KNOWN_OUT_MS = 250;

/** Exponential backoff with jitter. The ceiling keeps recovery visible within 5 s, even if an attempt just began. */
export const retryStrategy = (attempt: number): number =>
  Math.min(RETRY_CEILING_MS, 50 * 2 ** Math.min(attempt, 10)) * (0.75 + Math.random() * 0.5);

const BASE: RedisOptions = {
  protocol: 2,
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  maxLoadingRetryTime: 1000,
  connectTimeout: CONNECT_TIMEOUT_MS,
  commandTimeout: COMMAND_TIMEOUT_MS,
  socketTimeout: SOCKET_TIMEOUT_MS,
  retryStrategy,
};

/** Adds the TLS settings where the URL or the settings ask for TLS. */
const withTls = (options: RedisOptions, settings: TlsSettings | null): RedisOptions => {
  if (!settings && !options.tls) return options;
  return { ...options, tls: tlsOf(settings ?? {}, options.Connector ? null : (options.host ?? null)) };
};

const isSelect = (error: unknown): boolean =>
  (error as { command?: { name?: string } } | null)?.command?.name === 'select';

/** Finds the server at each connection, where its address is not configured (Sentinel). */
export interface Finder {
  /** Where it connected last; null before. */
  address(): string | null;
  /** Why the server that was found cannot be used; null where it can. */
  refusal(facts: ServerFacts): Error | null;
  /** Names the cause of an error that occurred before the server's first answer. */
  explain(error: unknown): unknown;
}

/**
 * ioredis passes the fields of INFO to its connector at each connection, before any other command may be sent: `{}`
 * where our user may not run INFO. If the check returns false, ioredis reconnects after a delay.
 */
const onInfo = (redis: Redis, check: (info: Record<string, string>) => boolean): void => {
  type Connector = { check(info: Record<string, string>): boolean };
  (redis as unknown as { connector: Connector }).connector.check = check;
};

/**
 * ioredis treats a server that refuses INFO as ready, but not a server without INFO, for example where it was renamed.
 */
const readyWithoutInfo = (redis: Redis): void => {
  type Checked = { _readyCheck(done: (error: Error | null, info?: unknown) => void): void };
  const checked = redis as unknown as Checked;
  const check = checked._readyCheck.bind(redis);
  checked._readyCheck = (done) =>
    check((error, info) => (error && isNotPermitted(error) ? done(null, {}) : done(error, info)));
};

const finderOf = (redis: Redis): Finder | null =>
  redis.options.Connector ? (redis as unknown as { connector: Finder }).connector : null;

const UNIDENTIFIED = 'connection ';

/** False for a generated id: two of those may or may not be the same process. */
export const isProcessKnown = (process: string): boolean => !process.includes(UNIDENTIFIED);

export const wrapClient = (redis: Redis, wanted: WantedServer = 'server'): Client => {
  let failure: unknown = null;
  let selected = true;
  let process: string | null = null;
  readyWithoutInfo(redis);
  const finder = finderOf(redis);
  const place = () => (finder ? finder.address() : serverAt(redis.options));
  let address = place();
  traceCalls(redis, () => address);
  let role: Role = 'unknown';
  /** Whether the server behind this connection has been identified. */
  let known = false;
  let connection: OwnConnection | null = null;
  /** Whether the server has answered which of its clients this connection is. */
  let asked = false;
  const waiting = new Set<(error: unknown) => void>();
  const duringHandshake = watchHandshakes(redis);
  const explain = (error: unknown): unknown => {
    const during = duringHandshake(error);
    return finder ? finder.explain(during) : during;
  };
  const isReady = (): boolean => redis.status === 'ready' && selected && known && asked;
  const wake = (error: unknown): void => {
    for (const settle of [...waiting]) settle(error);
  };
  /** Stores the facts. False where the server cannot be used. */
  const learn = (facts: ServerFacts): boolean => {
    const refusal = unsuitable(facts, wanted) ?? finder?.refusal(facts) ?? null;
    known = refusal === null;
    if (known) role = facts.role;
    if (known) return true;
    failure = refusal;
    wake(refusal);
    return false;
  };
  const ask = async (): Promise<boolean> => {
    const reply = await redis.call('HELLO').catch(() => null);
    if (reply === null || learn(factsOfHello(reply))) return true;
    redis.disconnect(true);
    return false;
  };
  onInfo(redis, (info) => {
    process = info.run_id ?? UNIDENTIFIED + randomUUID();
    if (connection) connection.process = info.run_id ?? null;
    const facts = factsOfInfo(info);
    return facts === null || learn(facts);
  });
  redis.on('connect', () => {
    selected = true;
    known = false;
    asked = false;
    address = place();
    connection = recordConnection(redis, address!);
  });
  redis.on('close', () => {
    known = false;
  });
  // Without a listener ioredis logs "Unhandled error event" for every retry.
  redis.on('error', (error: unknown) => {
    if (selected) failure = withoutArguments(known ? error : explain(error));
    if (isSelect(error)) {
      // ioredis would continue in database 0, which belongs to another application.
      selected = false;
      redis.disconnect(true);
    }
    wake(failure);
  });
  redis.on('ready', async () => {
    const current = connection;
    if (!selected || !current) return;
    const [isSuitable] = await Promise.all([known || ask(), identify(redis, current)]);
    if (!isSuitable || connection !== current || redis.status !== 'ready') return;
    known = true;
    asked = true;
    failure = null;
    wake(null);
  });
  const state = (): ClientState => {
    if (isReady()) return 'ready';
    return failure ? 'unreachable' : 'connecting';
  };
  const ready = (withinMs = 2000): Promise<void> => {
    if (isReady()) return Promise.resolve();
    if (redis.status === 'wait') redis.connect().catch(() => undefined);
    return new Promise((resolve, reject) => {
      const settle = (error: unknown) => {
        clearTimeout(timer);
        waiting.delete(settle);
        if (error === null) resolve();
        else reject(error);
      };
      const patience = failure ? Math.min(withinMs, KNOWN_OUT_MS) : withinMs;
      const timer = setTimeout(() => settle(failure ?? new Error('connect timeout')), patience);
      waiting.add(settle);
    });
  };
  return {
    redis,
    state,
    reason: () => (isReady() ? null : failure ? describeFailure(failure) : 'connecting'),
    process: () => process,
    address: () => address,
    connection: () => connection,
    role: () => role,
    refreshRole: () => ask().then(() => role),
    ready,
    close: () => redis.disconnect(),
  };
};

/**
 * Parses a URL into ioredis options. ioredis itself lets a URL override every other option and takes any option from
 * its query.
 */
export const addressOf = (url: string): RedisOptions => {
  const { protocol, hostname, port, pathname, username, password, searchParams } = new URL(url);
  const credentials = {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
  };
  if (protocol === 'redis+unix:')
    return { ...credentials, path: decodeURIComponent(pathname), db: Number(searchParams.get('db') ?? 0) };
  return {
    ...credentials,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 6379),
    db: Number(pathname.slice(1) || 0),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  };
};

/** The server at an address, regardless of database and user. */
export const serverAt = ({ path, host = 'localhost', port = 6379 }: RedisOptions): string =>
  path ?? `${host}:${port}`;

/** The host and port of an address as `serverAt` writes it. An IPv6 host has no brackets. */
export const endpointOf = (address: string): { host: string; port: number } => {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
};

/** For a client that ends with its connection. */
export const DEDICATED: RedisOptions = {
  retryStrategy: () => null,
  socketTimeout: undefined,
};

/**
 * A client for one configured connection; `options` replace the address of its URL. ioredis selects its `/db` on
 * connect: the only SELECT there is.
 */
export const connectTo = (config: ConnectionConfig, purpose: string, options: RedisOptions = {}): Client => {
  const credentials = {
    ...(config.username && { username: config.username }),
    ...(config.password && { password: config.password }),
  };
  return wrapClient(
    new Redis(
      withTls(
        {
          ...BASE,
          ...(config.url === null ? {} : addressOf(config.url)),
          ...credentials,
          connectionName: `keyward-${purpose}`,
          stringNumbers: purpose === ('exact' satisfies Purpose),
          ...options,
        },
        config.tls,
      ),
    ),
    config.cluster ? 'node' : 'server',
  );
};

/** The address of the console's own store. */
export interface StoreAddress {
  /** Behind Sentinels its host is the name of the primary. */
  url: string;
  tls: TlsSettings | null;
  sentinel: SentinelConfig | null;
}

export const optionsOfStore = ({ url, tls }: StoreAddress, options: RedisOptions): RedisOptions =>
  withTls({ ...addressOf(url), ...options }, tls);

/** A client for the console's own store. */
export const connectToStore = (at: StoreAddress, purpose: string, options: RedisOptions = {}): Client =>
  wrapClient(
    new Redis({ ...BASE, connectionName: `keyward-${purpose}`, ...optionsOfStore(at, options) }),
    'store',
  );
