// `npm run doctor`: what may be wrong around the console, each with a remedy. Exits with 1 if something failed.
import { join } from 'node:path';
import { constrainedMemory } from 'node:process';
import { bundle, STATE } from './build.mjs';
import { absolutePaths, backupFolder, readConfiguration } from './console.mjs';
import { findRedis, runningServer } from './redis-server.mjs';
import { argumentsOf, calledAs, checkNode, fail, loadEnvFiles, ROOT, say } from './setup.mjs';

const USAGE = `${calledAs('doctor', '[--json]')}

Checks the configuration, the store, what the Redis users may do, clocks, the port, the proxy and memory. It changes
nothing. Exits with 1 if something failed; warnings do not count.`;

const storeUrlOf = async ({ storeUrl }) => storeUrl ?? (await runningServer(join(STATE, 'store')));

const checkAll = async () => {
  process.chdir(ROOT);
  const checks = await import((await bundle('scripts/doctor-checks.ts')).url);
  const node = checks.ok('node', `Node.js ${process.versions.node}`);
  const own = [node, ...checks.checkState(STATE), ...checks.checkMemory(constrainedMemory())];
  let env;
  try {
    env = await readConfiguration(process.env);
  } catch (error) {
    if (error.name !== 'ConfigurationError') throw error;
    return [
      ...own,
      checks.failed('configuration', error.message, 'docs/configuration.md has every variable.'),
    ];
  }
  absolutePaths(process.env);
  const url = await storeUrlOf(env);
  const findings = await Promise.all([
    checks.checkPort(env),
    checks.checkBackupDir({ backupDir: backupFolder(env, STATE) }),
    url ? checks.checkStore(env, url) : checks.privateStore(findRedis()),
    checks.checkConnections(env),
    checks.checkAddress(env),
    checks.checkProvider(env),
  ]);
  const count = env.connections.length;
  const configured = checks.ok('configuration', `${count} ${count === 1 ? 'connection' : 'connections'}`);
  return [...own, configured, ...findings.flat()];
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
