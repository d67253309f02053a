// The console's own Redis, where none is configured: in the state folder, accessible to its owner only.
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isEnding } from './child.mjs';
import { startRedis } from './redis-server.mjs';
import { calledAs, ensureRedis, say } from './setup.mjs';

const STORE_RESTARTS = 5;

/** Restricts a folder to its owner, with a message if it was open to others. */
export const closeFolder = (folder) => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ((statSync(folder).mode & 0o077) === 0) return;
  try {
    chmodSync(folder, 0o700);
    say(`${folder} was accessible to other users of this machine: set to mode 700.`);
  } catch ({ code }) {
    say(
      `Warning: ${folder} is accessible to other users of this machine, and its mode cannot be changed (${code}).`,
    );
  }
};

/** A private store that restarts at the same address when its process dies. */
export const startStore = async (state) => {
  await ensureRedis(calledAs('start'));
  const options = {
    dir: join(state, 'store'),
    appendOnly: true,
    guarded: true,
    args: ['--maxmemory-policy', 'noeviction'],
  };
  let server = await startRedis(options);
  const { url, port } = server;
  let stopped = false;
  let restarts = 0;
  const watch = async (watched) => {
    await watched.exited;
    if (isEnding() || stopped || ++restarts > STORE_RESTARTS) return;
    say("The console's store exited: starting it again.");
    try {
      server = await startRedis({ ...options, port });
      watch(server);
    } catch (error) {
      say(`The store could not be restarted: ${error.message}`);
    }
  };
  watch(server);
  const stop = async () => {
    stopped = true;
    await server.stop();
  };
  return { url, stop };
};
