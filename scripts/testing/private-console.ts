import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Child } from '../child.mjs';

/** A console in production, which a test or a drill may kill. */
export interface OneConsole {
  baseUrl: string;
  apiToken: string;
  processes: () => Promise<number[]>;
  /** Everything the console printed so far. */
  output: () => string;
  /** Starts the console (again) on its port, with further variables from then on, and waits until it answers. */
  start: (further?: Record<string, string>) => Promise<void>;
  /** Sends SIGTERM, and waits for the end. */
  stop: () => Promise<void>;
  /** Sends SIGKILL to the serving process itself, and waits for its end. */
  kill: () => Promise<void>;
}

/** A console with separate servers. */
export interface PrivateConsole extends OneConsole {
  app: PrivateRedis;
  store: PrivateRedis;
  /** The console's configuration, for another process that uses its store. */
  environment: NodeJS.ProcessEnv;
  /** Starts another console on the same servers. */
  beside: () => Promise<OneConsole>;
  close: () => Promise<void>;
}

interface PrivateRedis {
  url: string;
  client: Redis;
  start: () => Promise<void>;
  kill: () => Promise<void>;
  /** Stops it like a service manager, with its data saved, and starts another process on the same port. */
  restart: () => Promise<void>;
}

/** Imported on first use: from Node 22 on Playwright cannot `require` an ES module. */
const redisServers = () => import('../redis-server.mjs');
const children = () => import('../child.mjs');

const API_TOKEN = 'private-console-token-private-console';

const privateRedis = async (folder: string, appendOnly = false): Promise<PrivateRedis> => {
  const { startRedis } = await redisServers();
  const options = { dir: folder, appendOnly, args: appendOnly ? ['--appendfsync', 'always'] : [] };
  let server = await startRedis(options);
  const { port, url } = server;
  const client = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  const start = async (): Promise<void> => {
    server = await startRedis({ ...options, port });
    await client.ping();
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    server.process.kill(signal);
    await server.exited;
  };
  return {
    url,
    client,
    start,
    kill: () => end('SIGKILL'),
    restart: async () => {
      await client.config('SET', 'save', '3600 1');
      await end('SIGTERM');
      await start();
    },
  };
};

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    (answer) => answer.ok,
    () => false,
  );

const APPS = ['discours', 'hawk'];

/** A connection in the configuration file; to the application's server by default. */
export type ConnectionEntry = Record<string, unknown> & {
  id?: string;
  /** ACL rules of a Redis user with the connection's name. */
  rules?: readonly string[];
  database?: number;
};

const entryOf = async (
  { url, client }: PrivateRedis,
  { rules, database, ...entry }: ConnectionEntry,
): Promise<Record<string, unknown>> => {
  const address = new URL(url);
  if (rules && entry.id) {
    await client.acl('SETUSER', entry.id, 'on', `>${entry.id}`, ...rules);
    address.username = address.password = entry.id;
  }
  if (database) address.pathname = `/${database}`;
  const given = entry.url || entry.sentinel || entry.cluster ? {} : { url: address.href };
  return { id: 'main', name: 'Main', apps: APPS, ...entry, ...given };
};

/** The consoles that use a store, found by the names of their queues' clients. */
const processesOn = async (store: Redis): Promise<number[]> => {
  const clients = String(await store.client('LIST'));
  return [...new Set([...clients.matchAll(/ name=keyward-queue-(\d+) /g)].map(([, pid]) => Number(pid)))];
};

/** Starts a console on a separate port. `store` is null if it has another one, whose processes are unknown here. */
const startOne = async (environment: NodeJS.ProcessEnv, store: Redis | null): Promise<OneConsole> => {
  const port = environment.PORT ?? (await (await redisServers()).freePort());
  const baseUrl = `http://127.0.0.1:${port}`;
  let env: NodeJS.ProcessEnv = { ...environment, PORT: String(port) };
  const { startChild } = await children();
  let child: Child | null = null;
  let output = '';
  let own: number[] = [];
  const start = async (further: Record<string, string> = {}): Promise<void> => {
    env = { ...env, ...further };
    const others = store ? await processesOn(store) : [];
    const started = startChild(process.execPath, ['scripts/start.mjs'], { env });
    child = started;
    const hear = (data: Buffer) => {
      output += data.toString();
    };
    started.process.stdout?.on('data', hear);
    started.process.stderr?.on('data', hear);
    const over = started.exited.then(() => {
      throw new Error(`The console ended:\n${output}`);
    });
    const ready = (async () => {
      while (!output.includes('Ready: ') || !(await answers(`${baseUrl}/api/ready`))) await delay(25);
    })();
    await Promise.race([ready, over]);
    over.catch(() => undefined);
    // A console started later is not this one, nor is an earlier one.
    for (own = []; store && own.length === 0; await delay(25))
      own = (await processesOn(store)).filter((pid) => !others.includes(pid));
  };
  const over = async (signal: () => Promise<void> | void): Promise<void> => {
    if (!child) return;
    await signal();
    await child.exited;
    child = null;
    output = '';
  };
  const kill = () =>
    over(() => {
      for (const pid of own) process.kill(pid, 'SIGKILL');
    });
  await start();
  return {
    baseUrl,
    apiToken: API_TOKEN,
    output: () => output,
    start,
    kill,
    processes: async () => own,
    stop: () => over(() => void child?.process.kill('SIGTERM')),
  };
};

/** Without `connections` the console is configured by the environment alone, with one connection `main`. */
export const privateConsole = async (
  environment: Record<string, string> = {},
  ...connections: ConnectionEntry[]
): Promise<PrivateConsole> => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-private-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  const [app, store] = await Promise.all([
    privateRedis(join(folder, 'app')),
    privateRedis(join(folder, 'store'), true),
  ]);
  const config = join(folder, 'connections.yaml');
  const entries = await Promise.all(connections.map((entry) => entryOf(app, entry)));
  if (entries.length > 0) writeFileSync(config, JSON.stringify({ connections: entries }), { mode: 0o600 });
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => name === 'KEYWARD_DIST_DIR' || !/^(KEYWARD|NEXTAUTH|REDIS|HAWK|PORT$|HOSTNAME$)/.test(name),
    ),
  );
  const env: NodeJS.ProcessEnv = {
    ...inherited,
    NODE_ENV: 'production',
    ...(entries.length > 0
      ? { KEYWARD_CONFIG: config }
      : { REDIS_URL: app.url, KEYWARD_APPS: APPS.join(',') }),
    KEYWARD_STORE_URL: store.url,
    KEYWARD_API_TOKEN: API_TOKEN,
    KEYWARD_SECRET_KEY: Buffer.alloc(32, 'private').toString('base64'),
    NEXTAUTH_SECRET: 'private-console-secret-private-console',
    ...environment,
  };
  const consoles: OneConsole[] = [];
  const beside = async (): Promise<OneConsole> => {
    const started = await startOne(env, env.KEYWARD_STORE_URL === store.url ? store.client : null);
    consoles.push(started);
    return started;
  };
  const first = await beside();
  return {
    ...first,
    app,
    store,
    environment: env,
    beside,
    close: async () => {
      for (const own of consoles) await own.stop();
      app.client.disconnect();
      store.client.disconnect();
      await Promise.all([app.kill(), store.kill()]);
      removeFolder();
      process.off('exit', removeFolder);
    },
  };
};
