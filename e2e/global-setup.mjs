// Sets up everything an end-to-end run needs, on free loopback ports: three Redis servers and a cluster, the demo's data
// and traffic, the built console with its private store and one account per role. Returns the teardown.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccounts, makeAccounts, secret } from '../scripts/accounts.mjs';
import { bundle, STATE } from '../scripts/build.mjs';
import { eachLine, startChild, stopAll } from '../scripts/child.mjs';
import { startCluster } from '../scripts/cluster.mjs';
import { startConsole } from '../scripts/console.mjs';
import { freePort, startRedis } from '../scripts/redis-server.mjs';
import { environmentWith, ROOT, say } from '../scripts/setup.mjs';

const FOLDER = join(STATE, 'e2e');
const TOKENS = join(FOLDER, 'tokens');
const LIMITS = join(FOLDER, 'limits');
const SHOP_CATALOG = join(ROOT, 'e2e', 'catalogs', 'shop.yaml');
/** The own catalog of `aside`: a test may replace it. */
const CATALOG = join(FOLDER, 'aside.yaml');
const FIRST_CATALOG = 'app: first\nfamilies: [{ id: note, pattern: "first-note:{id}", type: string }]\n';

/** Seeds `url`, and continues with traffic unless `--seed-only`. Resolves when the seed is complete. */
const seed = async (url, number, ...options) => {
  const { file } = await bundle('scripts/demo-traffic/main.ts');
  const args = [file, '--url', url, '--seed', String(number), '--tokens-file', TOKENS, ...options];
  const child = startChild(process.execPath, args, { cwd: ROOT });
  eachLine(child.process.stderr, (line) => say(`seed: ${line}`));
  await new Promise((resolve, reject) => {
    eachLine(child.process.stdout, (line) => line === 'seeded' && resolve());
    child.exited.then(({ code }) => reject(new Error(`The seed ended with ${code}.`)));
  });
};

/**
 * `demo` has no traffic, `live` is a production connection with traffic and two-person approval, `locked` is read-only,
 * `gone` is unreachable. `aside` is empty: the test that reserves it has a keyspace of its own. `shop` and `social` are
 * databases beside the demo's: an application that only its own catalog describes, and people, videos and chats.
 * `careful` is empty too, and limits what support may revoke at once. `cluster` has three primaries and no keys.
 */
const connectionsOf = ({ still, busy, gone, aside, shop, social, careful, nodes }) => {
  const hawk = { threshold: 200, eventsLimit: 100, eventsPeriod: '60s', protectedIps: ['10.0.0.0/8'] };
  const rest = { apps: ['discours', 'hawk'], hawk };
  const hourly = { ...hawk, eventsPeriod: '3600s' };
  const twoPerson = { approval: 'two-person' };
  const connections = [
    { id: 'demo', name: 'Demo', environment: 'development', url: still, ...rest },
    { id: 'live', name: 'Publishing', environment: 'production', url: busy, ...rest, flags: twoPerson },
    { id: 'locked', name: 'Archive', environment: 'staging', url: busy, readOnly: true, ...rest },
    { id: 'gone', name: 'Gone', environment: 'staging', url: gone, ...rest },
    {
      id: 'aside',
      name: 'Aside',
      environment: 'staging',
      url: aside,
      ...rest,
      hawk: hourly,
      flags: twoPerson,
      catalogs: [CATALOG],
    },
    { id: 'shop', name: 'Shop', environment: 'staging', url: shop, apps: [], catalogs: [SHOP_CATALOG] },
    { id: 'social', name: 'Social', environment: 'staging', url: social, apps: ['qianxun', 'minidouyin'] },
    {
      id: 'careful',
      name: 'Careful',
      environment: 'staging',
      url: careful,
      ...rest,
      limits: { support: { 'sessions.revoke': 1 } },
    },
    { id: 'cluster', name: 'Cluster', environment: 'staging', cluster: { nodes }, ...rest },
  ];
  // Two browsers keep the cores busy; taken for the load of a server, that would shorten samples and slow scans.
  return connections.map((connection) => ({ ...connection, scan: { maxAddedLatencyMs: 100 } }));
};

const setUp = async () => {
  const [still, aside, busy, cluster, gonePort, port, smtpPort] = await Promise.all([
    startRedis(),
    startRedis(),
    startRedis({ args: ['--maxmemory', '256mb', '--maxmemory-policy', 'allkeys-lru'] }),
    startCluster(),
    freePort(),
    freePort(),
    freePort(),
  ]);
  const [shop, social, careful] = [1, 2, 3].map((database) => `${still.url}/${database}`);
  await Promise.all([
    seed(still.url, 1, '--seed-only'),
    seed(busy.url, 2),
    seed(social, 1, '--seed-only', '--social'),
  ]);
  writeFileSync(CATALOG, FIRST_CATALOG);
  const config = join(FOLDER, 'connections.yaml');
  const gone = `redis://127.0.0.1:${gonePort}`;
  const urls = {
    still: still.url,
    busy: busy.url,
    gone,
    aside: aside.url,
    shop,
    social,
    careful,
    nodes: cluster.nodes,
  };
  const connections = connectionsOf(urls);
  writeFileSync(config, JSON.stringify({ connections }), { mode: 0o600 });

  const accounts = makeAccounts();
  const apiToken = secret(32);
  const environment = environmentWith({
    PORT: String(port),
    KEYWARD_CONFIG: config,
    KEYWARD_API_TOKEN: apiToken,
    HAWK_LIMITS_DIR: LIMITS,
    // Receivers of webhooks and the mail server are started by the test of alerts.
    KEYWARD_ALERT_ALLOWED_NETWORKS: '127.0.0.0/8',
    KEYWARD_SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    KEYWARD_SMTP_FROM: 'keyward@example.org',
    KEYWARD_ADMIN_EMAIL: accounts[0].email,
    KEYWARD_ADMIN_PASSWORD: accounts[0].password,
  });
  const log = [];
  writeFileSync(join(FOLDER, 'console.log'), '');
  const { url, storeUrl } = await startConsole({
    environment,
    state: FOLDER,
    onLine: (line) => {
      log.push(line);
      writeFileSync(join(FOLDER, 'console.log'), `${line}\n`, { flag: 'a' });
    },
  }).catch((error) => {
    throw new Error(`${error.message}\n${log.slice(-30).join('\n')}`, { cause: error });
  });
  await createAccounts(url, apiToken, accounts);
  const state = {
    baseUrl: url,
    accounts,
    apiToken,
    redisUrl: still.url,
    liveRedisUrl: busy.url,
    asideRedisUrl: aside.url,
    shopRedisUrl: shop,
    socialRedisUrl: social,
    carefulRedisUrl: careful,
    clusterNodes: cluster.nodes,
    storeUrl,
    smtpPort,
    tokensFile: TOKENS,
    consoleLog: join(FOLDER, 'console.log'),
    limitsFolder: LIMITS,
    catalogFile: CATALOG,
    reservations: join(FOLDER, 'reservations'),
  };
  writeFileSync(join(FOLDER, 'state.json'), JSON.stringify(state, null, 2), { mode: 0o600 });
};

const globalSetup = async () => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(LIMITS, { recursive: true, mode: 0o700 });
  try {
    await setUp();
  } catch (error) {
    await stopAll();
    throw error;
  }
  return () => stopAll();
};

export default globalSetup;
