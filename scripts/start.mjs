// `npm start`: the console in production, from the environment (.env.example) and `.env` files.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { endOnSignals, isEnding } from './child.mjs';
import { checkNode, ensureDependencies, fail, ROOT, SetupError, say } from './setup.mjs';

const main = async () => {
  endOnSignals();
  checkNode();
  // A container may have dropped what only building needs: only a checkout without anything is set up.
  if (!existsSync(join(ROOT, 'node_modules/next'))) await ensureDependencies();
  const { default: nextEnv } = await import('@next/env');
  nextEnv.loadEnvConfig(ROOT, false, { info: () => {}, error: say });
  const { startConsole } = await import('./console.mjs');
  const started = await startConsole();
  say(`Ready: Keyward at ${started.url}`);
  const { code, signal } = await started.exited;
  if (!isEnding()) throw new SetupError(`The console ended by itself (${signal ?? `exit code ${code}`}).`);
};

main().catch(fail);
