// `npm start`: the console in production, from the environment (.env.example) and `.env` files.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { endOnSignals, isEnding } from './child.mjs';
import { checkNode, ensureDependencies, fail, ROOT, SetupError, say } from './setup.mjs';

const main = async () => {
  endOnSignals();
  checkNode();
  // Bundled code reads the catalogs of known applications from there.
  process.chdir(ROOT);
  // A container may lack build dependencies on purpose, so they are installed only if Next is missing.
  if (!existsSync(join(ROOT, 'node_modules/next'))) await ensureDependencies();
  const { default: nextEnv } = await import('@next/env');
  nextEnv.loadEnvConfig(ROOT, false, { info: () => {}, error: say });
  const { startConsole } = await import('./console.mjs');
  const started = await startConsole();
  say(`Ready: Keyward at ${started.url}`);
  const { code, signal } = await started.exited;
  if (!isEnding()) throw new SetupError(`The console exited (${signal ?? `exit code ${code}`}).`);
};

main().catch(fail);
