import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** A console of a test's own, with servers it may kill: what the shared one cannot be put through. */
export interface PrivateConsole {
  baseUrl: string;
  apiToken: string;
  app: PrivateRedis;
  store: PrivateRedis;
  /** Everything the console printed so far. */
  output: () => string;
  /** Starts the console (again) on its port and waits until it answers. */
  start: () => Promise<void>;
  /** SIGTERM, and waits for the end. */
  stop: () => Promise<void>;
  /** kill -9 to the serving process itself, and waits for the end. */
  kill: () => Promise<void>;
  close: () => Promise<void>;
}

export interface PrivateRedis {
  url: string;
  client: Redis;
  start: () => Promise<void>;
  kill: () => Promise<void>;
}

/** Imported when it is called: from Node 22 on Playwright cannot `require` a module of Node's own format. */
const redisServers = () => import('../scripts/redis-server.mjs');

const API_TOKEN = 'private-console-token-private-console';

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

const privateRedis = async (folder: string, appendOnly = false): Promise<PrivateRedis> => {
  const { startRedis } = await redisServers();
  const options = { dir: folder, appendOnly, args: appendOnly ? ['--appendfsync', 'always'] : [] };
  let server = await startRedis(options);
  const { port, url } = server;
  const client = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  return {
    url,
    client,
    start: async () => {
      server = await startRedis({ ...options, port });
      await client.ping();
    },
    kill: async () => {
      server.process.kill('SIGKILL');
      await server.exited;
    },
  };
};

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    (answer) => answer.ok,
    () => false,
  );

const APPS = ['discours', 'hawk'];

/** `connection`: what the configuration file says of connection `main` besides its address. */
export const privateConsole = async (
  environment: Record<string, string> = {},
  connection?: Record<string, unknown>,
): Promise<PrivateConsole> => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-e2e-'));
  const [app, store] = await Promise.all([
    privateRedis(join(folder, 'app')),
    privateRedis(join(folder, 'store'), true),
  ]);
  const config = join(folder, 'connections.yaml');
  const main = { id: 'main', name: 'Main', url: app.url, apps: APPS, ...connection };
  if (connection) writeFileSync(config, JSON.stringify({ connections: [main] }), { mode: 0o600 });
  const port = await (await redisServers()).freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  let output = '';
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => name === 'KEYWARD_DIST_DIR' || !/^(KEYWARD|NEXTAUTH|REDIS|HAWK|PORT$|HOSTNAME$)/.test(name),
    ),
  );
  const start = async (): Promise<void> => {
    const env: NodeJS.ProcessEnv = {
      ...inherited,
      NODE_ENV: 'production',
      PORT: String(port),
      ...(connection ? { KEYWARD_CONFIG: config } : { REDIS_URL: app.url, KEYWARD_APPS: APPS.join(',') }),
      KEYWARD_STORE_URL: store.url,
      KEYWARD_API_TOKEN: API_TOKEN,
      KEYWARD_SECRET_KEY: Buffer.alloc(32, 'private').toString('base64'),
      NEXTAUTH_SECRET: 'private-console-secret-private-console',
      ...environment,
    };
    const started = spawn(process.execPath, ['scripts/start.mjs'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    const hear = (data: Buffer) => {
      output += data.toString();
    };
    started.stdout.on('data', hear);
    started.stderr.on('data', hear);
    const over = once(started, 'exit').then(() => {
      throw new Error(`The console ended:\n${output}`);
    });
    const ready = (async () => {
      while (!output.includes('Ready: ') || !(await answers(`${baseUrl}/api/ready`))) await delay(25);
    })();
    await Promise.race([ready, over]);
    over.catch(() => undefined);
  };
  const over = async (signal: () => Promise<void> | void): Promise<void> => {
    if (!child) return;
    await signal();
    await ended(child);
    child = null;
    output = '';
  };
  const stop = () => over(() => void child?.kill('SIGTERM'));
  const kill = () =>
    over(async () => {
      const clients = String(await store.client.client('LIST'));
      const pids = new Set(
        [...clients.matchAll(/ name=keyward-queue-(\d+) /g)].map(([, pid]) => Number(pid)),
      );
      for (const pid of pids) process.kill(pid, 'SIGKILL');
    });
  await start();
  return {
    baseUrl,
    apiToken: API_TOKEN,
    app,
    store,
    output: () => output,
    start,
    stop,
    kill,
    close: async () => {
      await stop();
      app.client.disconnect();
      store.client.disconnect();
      await Promise.all([app.kill(), store.kill()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
