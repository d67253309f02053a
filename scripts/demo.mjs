// `npm run demo`: from a clean clone to a working console with one command. Ctrl-C stops everything.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createAccounts, makeAccounts, secret } from './accounts.mjs';
import { bundle, STATE } from './build.mjs';
import { eachLine, endOnSignals, isEnding, startChild } from './child.mjs';
import { startCluster } from './cluster.mjs';
import { watchNoisyAddress } from './demo-alerts.mjs';
import { consentToHitRates } from './demo-consent.mjs';
import { clusterEvents, listenForEvents, sentinelEvents } from './demo-events.mjs';
import { findRedis, freePort, startRedis } from './redis-server.mjs';
import { startSentinels } from './sentinels.mjs';
import {
  argumentsOf,
  calledAs,
  checkNode,
  ensureDependencies,
  ensureRedis,
  environmentWith,
  fail,
  ROOT,
  SetupError,
  say,
  UsageError,
} from './setup.mjs';

const FOLDER = join(STATE, 'demo');
/** Where the traffic writes its projects' limits, in mongoexport's format. */
const LIMITS = join(FOLDER, 'limits');
const DEFAULT_PORT = 3000;

const started = Date.now();

/** The four accounts; their passwords are generated once. Without them an existing store is useless and removed. */
const accountsOf = () => {
  const file = join(FOLDER, 'accounts.json');
  if (!existsSync(file)) {
    rmSync(join(FOLDER, 'store'), { recursive: true, force: true });
    writeFileSync(file, `${JSON.stringify(makeAccounts(), null, 2)}\n`, { mode: 0o600 });
  }
  return JSON.parse(readFileSync(file, 'utf8'));
};

const canListen = (port, host) =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });

const OPTIONS = {
  port: { type: 'string' },
  sentinel: { type: 'boolean', default: false },
  cluster: { type: 'boolean', default: false },
};

const USAGE = `${calledAs('demo', '[--port 3000] [--sentinel | --cluster]')}

--port      where it listens: 3000, or a free port if that is taken
--sentinel  the first connection is behind three Sentinels
--cluster   the first connection is a cluster of three primaries`;

/** The requested port; otherwise 3000, or a free port if that is taken. */
const portOf = async (asked, host) => {
  if (asked) return asked;
  return String((await canListen(DEFAULT_PORT, host)) ? DEFAULT_PORT : await freePort());
};

const LIMITED = ['--maxmemory', '256mb', '--maxmemory-policy', 'allkeys-lru'];

/**
 * The Redis of the demo's applications, normally a private server. REDIS_URL with KEYWARD_STORE_URL is used only where
 * none can be installed, and only if it is empty, because the traffic writes into it.
 */
const applicationRedis = async () => {
  const borrowed = process.env.REDIS_URL && process.env.KEYWARD_STORE_URL;
  if (!findRedis() && borrowed)
    return { url: process.env.REDIS_URL, storeUrl: process.env.KEYWARD_STORE_URL };
  await ensureRedis(calledAs('demo'));
  const { url } = await startRedis({ dir: join(FOLDER, 'redis'), args: LIMITED });
  return { url, storeUrl: '' };
};

const refuseUnlessEmpty = async (url) => {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  redis.on('error', () => {});
  try {
    await redis.connect();
    if ((await redis.dbsize()) === 0) return;
  } catch (error) {
    throw new SetupError(`The Redis of REDIS_URL cannot be used: ${error.message}`);
  } finally {
    redis.disconnect();
  }
  throw new SetupError(
    'The database of REDIS_URL is not empty, and the demo writes into it. Set REDIS_URL to an empty database.',
  );
};

/** Two other databases on the same server. */
const databasesBeside = (url) =>
  [0, 1, 2]
    .filter((database) => database !== Number(new URL(url).pathname.slice(1)))
    .slice(-2)
    .map((database) => Object.assign(new URL(url), { pathname: `/${database}` }).href);

/** The server of `demo` and its traffic. Its data ends with the demo unless it is on the first server. */
const serversOf = async ({ sentinel, cluster }, url) => {
  if (sentinel && cluster) throw new UsageError('Give --sentinel or --cluster, not both.');
  if (sentinel) {
    // With three servers two may be killed, one after the other.
    const watched = await startSentinels({ replicas: 2, args: LIMITED });
    return {
      where: 'behind three Sentinels',
      connection: { sentinel: { name: watched.name, nodes: watched.nodes } },
      traffic: [['--sentinels', watched.nodes.join()]],
      events: sentinelEvents(watched),
    };
  }
  if (cluster) {
    const started = await startCluster({ primaries: 3, replicas: 1, args: LIMITED });
    const nodes = started.nodes.join();
    return {
      where: 'a cluster of three primaries with a replica each, and has all four applications',
      connection: {
        cluster: { nodes: started.nodes },
        apps: ['discours', 'hawk', 'qianxun', 'minidouyin'],
      },
      traffic: [
        ['--cluster', nodes],
        ['--cluster', nodes, '--social'],
      ],
      events: clusterEvents(started),
    };
  }
  return { connection: { url }, traffic: [['--url', url]] };
};

/**
 * `demo`, and on other databases `demo-approval`, where flag changes need approval, and `demo-social` with the social and
 * the short-video application.
 */
const writeConnections = (demo, approvalUrl, socialUrl) => {
  const connection = {
    environment: 'development',
    apps: ['discours', 'hawk'],
    // As in scripts/demo-traffic/world.ts: the noisy address exceeds the threshold, busy projects their limit.
    hawk: {
      threshold: 200,
      blacklistPeriod: '15s',
      blockedPeriod: '5s',
      eventsLimit: 100,
      eventsPeriod: '60s',
    },
  };
  const connections = [
    { id: 'demo', name: 'Demo', ...connection, ...demo },
    {
      id: 'demo-approval',
      name: 'Demo with approval',
      ...connection,
      url: approvalUrl,
      flags: { approval: 'two-person' },
    },
    {
      id: 'demo-social',
      name: 'Demo social and video',
      environment: 'development',
      url: socialUrl,
      apps: ['qianxun', 'minidouyin'],
    },
  ];
  const file = join(FOLDER, 'connections.yaml');
  writeFileSync(file, `${JSON.stringify({ connections }, null, 2)}\n`, { mode: 0o600 });
  return file;
};

const trafficInto = (file, ...options) => {
  const child = startChild(process.execPath, [file, ...options], { cwd: ROOT });
  eachLine(child.process.stderr, (line) => say(`traffic: ${line}`));
  let seeded;
  const isSeeded = new Promise((resolve) => {
    seeded = resolve;
  });
  eachLine(child.process.stdout, (line) => (line === 'seeded' ? seeded() : say(`traffic: ${line}`)));
  child.exited.then(({ code, signal }) => {
    if (!isEnding() && !(code === 0 && options.includes('--seed-only')))
      fail(new SetupError(`The demo traffic exited (${signal ?? `exit code ${code}`}).`));
  });
  return isSeeded;
};

const main = async () => {
  endOnSignals();
  checkNode();
  const { values } = argumentsOf(USAGE, OPTIONS);
  mkdirSync(LIMITS, { recursive: true, mode: 0o700 });
  await ensureDependencies();
  const { url, storeUrl } = await applicationRedis();
  const [approvalUrl, socialUrl] = databasesBeside(url);
  if (storeUrl) for (const address of [url, approvalUrl, socialUrl]) await refuseUnlessEmpty(address);
  const servers = await serversOf(values, url);
  const accounts = accountsOf();
  const token = secret(32);
  const hostname = process.env.HOSTNAME ?? '';
  const environment = environmentWith({
    PORT: await portOf(values.port ?? process.env.PORT, '127.0.0.1'),
    HOSTNAME: hostname,
    KEYWARD_CONFIG: writeConnections(servers.connection, approvalUrl, socialUrl),
    KEYWARD_STORE_URL: storeUrl,
    KEYWARD_API_TOKEN: token,
    HAWK_LIMITS_DIR: LIMITS,
    KEYWARD_ADMIN_EMAIL: accounts[0].email,
    KEYWARD_ADMIN_PASSWORD: accounts[0].password,
  });

  const { startConsole } = await import('./console.mjs');
  const { file } = await bundle('scripts/demo-traffic/main.ts');
  say('Starting the demo: two private Redis servers, the console and the traffic of four applications.');
  const [console] = await Promise.all([
    startConsole({ environment, state: FOLDER }),
    ...servers.traffic.map((options) => trafficInto(file, ...options, '--limits-dir', LIMITS)),
    trafficInto(file, '--url', approvalUrl, '--seed', '2', '--seed-only'),
    trafficInto(file, '--url', socialUrl, '--social'),
  ]);
  console.exited.then(({ code, signal }) => {
    if (!isEnding()) fail(new SetupError(`The console exited (${signal ?? `exit code ${code}`}).`));
  });
  await Promise.all([
    createAccounts(console.url, token, accounts),
    consentToHitRates(console.url, token, ['demo', 'demo-approval', 'demo-social'], 'demo'),
    watchNoisyAddress(console.url, token, 'demo'),
  ]);

  say(`\n  ${console.url}\n`);
  for (const { role, email, password } of accounts)
    say(`  ${role.padEnd(8)} ${email.padEnd(26)} ${password}`);
  if (servers.events) {
    say(`\n  "demo" is ${servers.where}. Its data ends with the demo. Type a letter and Enter:`);
    listenForEvents(servers.events);
  }
  say(`\n  Ctrl-C ends the demo. Its data stays in ${FOLDER}.\n`);
  say(`Ready in ${Math.round((Date.now() - started) / 1000)} s: ${console.url}`);
};

main().catch(fail);
