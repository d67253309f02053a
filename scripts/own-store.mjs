// The console's own store, for commands that work on it without the console.
import { join } from 'node:path';
import { STATE } from './build.mjs';
import { absolutePaths, checkStore, checkVersion, keptSecret, readConfiguration } from './console.mjs';
import { startStore } from './private-store.mjs';
import { runningServer } from './redis-server.mjs';
import { loadEnvFiles, ROOT } from './setup.mjs';

/**
 * Runs `work` with the store and its secrets in the environment: the configured store, that of the console that runs in
 * this folder, or the private one, started meanwhile. With `writes`, not if it is a store of another version.
 */
export const withStore = async (work, { writes = false } = {}) => {
  await loadEnvFiles();
  // The configuration requires an application's Redis, which is not used here.
  if (!process.env.KEYWARD_CONFIG) process.env.REDIS_URL ||= 'redis://127.0.0.1';
  const given = await readConfiguration(process.env);
  absolutePaths(process.env);
  // Lua scripts are read relative to the root.
  process.chdir(ROOT);
  process.env.KEYWARD_SECRET_KEY =
    given.secretKey?.toString('base64') ?? keptSecret(STATE, 'secret-key', 'base64');
  process.env.KEYWARD_SECRET_KEY_FILE = '';
  if (given.storeUrl && !given.secretKey) {
    const NEXTAUTH_SECRET = given.nextAuthSecret ?? keptSecret(STATE, 'nextauth-secret', 'base64url');
    await checkStore(given, { ...process.env, NEXTAUTH_SECRET });
  }
  const running = given.storeUrl ?? (await runningServer(join(STATE, 'store')));
  const own = running ? null : await startStore(STATE);
  process.env.KEYWARD_STORE_URL = running ?? own.url;
  process.env.KEYWARD_STORE_URL_FILE = '';
  try {
    if (writes) await checkVersion({ ...given, storeUrl: process.env.KEYWARD_STORE_URL });
    return await work();
  } finally {
    await own?.stop();
  }
};
