// `npm run doctor`: what may be wrong around the console, each with its way out. Exits with 1 if something failed.
import { existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { constrainedMemory } from 'node:process';
import { bundle, STATE } from './build.mjs';
import { absolutePaths, readConfiguration } from './console.mjs';
import { findRedis, runningServer } from './redis-server.mjs';
import { argumentsOf, calledAs, checkNode, fail, loadEnvFiles, ROOT, say } from './setup.mjs';

const USAGE = `${calledAs('doctor', '[--json]')}

Checks the configuration, the store, what the Redis users may do, clocks, the port, the proxy and memory. It changes
nothing. Exits with 1 if something failed; warnings do not count.`;

/** What a console takes that has answered every page once, with room for one large answer. */
const MIN_MEMORY = 512 * 1024 * 1024;

const finding = (state, about, text, remedy = null) => ({ state, about, text, remedy });

const checkFolder = () => {
  if (!existsSync(STATE)) return [];
  if ((statSync(STATE).mode & 0o077) === 0) return [finding('ok', 'secrets', `only you may open ${STATE}`)];
  return [
    finding(
      'failed',
      'secrets',
      `${STATE} is accessible to other users of this machine`,
      `chmod 700 ${STATE}`,
    ),
  ];
};

const checkMemory = () => {
  const limit = constrainedMemory();
  if (!limit || limit >= MIN_MEMORY) return [];
  const text = `this container may use ${Math.round(limit / 2 ** 20)} MiB`;
  return [finding('warning', 'memory', text, 'Give it 512 MiB or more.')];
};

const isFree = (port, hostname) =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, hostname, () => server.close(() => resolve(true)));
  });

const checkPort = async ({ port, hostname, basePath }) => {
  if (await isFree(port, hostname)) return [finding('ok', 'port', `${port} on ${hostname} is free`)];
  const health = `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}${basePath}/api/health`;
  const answer = await fetch(health, { signal: AbortSignal.timeout(5000) })
    .then((response) => response.json())
    .catch(() => null);
  if (answer?.status === 'ok') return [finding('ok', 'port', `a console answers on ${port}`)];
  return [
    finding(
      'failed',
      'port',
      `another program listens on ${port}`,
      'Choose another with PORT, or end the other program.',
    ),
  ];
};

const storeUrlOf = async ({ storeUrl }) => storeUrl ?? (await runningServer(join(STATE, 'store')));

const noStore = () => {
  const program = findRedis();
  return program
    ? finding('ok', 'store', `a private one will be started with ${program}`)
    : finding(
        'failed',
        'store',
        'none is given, and there is no redis-server to start one',
        'Set KEYWARD_STORE_URL, or install redis-server.',
      );
};

const checkAll = async () => {
  const node = finding('ok', 'node', `Node.js ${process.versions.node}`);
  const own = [node, ...checkFolder(), ...checkMemory()];
  let env;
  try {
    env = await readConfiguration(process.env);
  } catch (error) {
    if (error.name !== 'ConfigurationError') throw error;
    return [
      ...own,
      finding('failed', 'configuration', error.message, 'docs/configuration.md has every variable.'),
    ];
  }
  absolutePaths(process.env);
  process.chdir(ROOT);
  const checks = await import((await bundle('scripts/doctor-checks.ts')).url);
  const url = await storeUrlOf(env);
  const found = await Promise.all([
    checkPort(env),
    url ? checks.checkStore(env, url) : [noStore()],
    checks.checkConnections(env),
    checks.checkAddress(env),
    checks.checkProvider(env),
  ]);
  const count = env.connections.length;
  const configured = finding('ok', 'configuration', `${count} ${count === 1 ? 'connection' : 'connections'}`);
  return [...own, configured, ...found.flat()];
};

const indented = (text) => text.replaceAll('\n', `\n${' '.repeat(9)}`);

const main = async () => {
  checkNode();
  const { json } = argumentsOf(USAGE, { json: { type: 'boolean', default: false } }).values;
  await loadEnvFiles((text) => process.stderr.write(`${text}\n`));
  const findings = await checkAll();
  if (json) say(JSON.stringify(findings, null, 2));
  else
    for (const { state, about, text, remedy } of findings) {
      say(`${state.padEnd(8)} ${about}: ${indented(text)}`);
      if (remedy) say(`${' '.repeat(9)}${indented(remedy)}`);
    }
  return findings.some(({ state }) => state === 'failed') ? 1 : 0;
};

main().then((code) => process.exit(code), fail);
