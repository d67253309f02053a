// `npm run backup -- FILE` and `npm run restore -- FILE`: the console's own store, in a sealed file.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { bundle } from './build.mjs';
import { endOnSignals } from './child.mjs';
import { withStore } from './own-store.mjs';
import {
  argumentsOf,
  CALLED_FROM,
  calledAs,
  checkNode,
  fail,
  SetupError,
  say,
  UsageError,
} from './setup.mjs';

const USAGE = `${calledAs('backup', 'FILE')}
${calledAs('restore', 'FILE')}

backup   writes the store (users, API tokens, audit log, undo data, flags' notes, alerts, history) into a new file, which
         only the console's KEYWARD_SECRET_KEY opens; the console may run
restore  reads such a file into an empty store; the console must not run`;

const backup = async (file, { backupStore }) => {
  if (existsSync(file)) throw new SetupError(`${file} exists; choose another name.`);
  say(`Wrote ${await backupStore(file)} keys to ${file}.`);
};

const restore = async (file, { restoreStore }) => {
  const { keys, expired, problem } = await restoreStore(file);
  say(`Restored ${keys} keys; ${expired} had expired since.`);
  if (problem) throw new SetupError(`The restored audit log is not intact: ${problem}.`);
  say('The audit log is intact.');
};

const main = async () => {
  endOnSignals();
  checkNode();
  const { positionals } = argumentsOf(USAGE, {}, { allowPositionals: true });
  const [command, name, ...more] = positionals;
  const work = { backup, restore }[command];
  if (!work || !name || more.length > 0) throw new UsageError(USAGE);
  const file = resolve(CALLED_FROM, name);
  if (command === 'restore' && !existsSync(file)) throw new SetupError(`${file} does not exist.`);
  await withStore(async () => {
    const files = await import((await bundle('lib/upgrade/backup.ts')).url);
    await work(file, files)
      .catch((error) => {
        throw new SetupError(error.message);
      })
      .finally(files.closeStore);
  });
};

main().then(() => process.exit(0), fail);
