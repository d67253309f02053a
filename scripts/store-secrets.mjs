// Generated secrets must not differ from those of other processes on the same store.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SetupError } from './setup.mjs';

/** `console.secrets` of the catalog: a digest that identifies the secrets and reveals nothing else. */
const KEY = 'keyward:secrets';

const fingerprintOf = ({ NEXTAUTH_SECRET, KEYWARD_SECRET_KEY }) =>
  createHmac('sha256', KEYWARD_SECRET_KEY).update(NEXTAUTH_SECRET).digest('base64url');

const REFUSAL = `NEXTAUTH_SECRET, KEYWARD_SECRET_KEY: found those made on this machine, but the store of KEYWARD_STORE_URL
is in use with others. Processes that share a store need the same: set both variables, in every process.
(When the others are lost for good: DEL ${KEY} in the store, and \`npm run accounts:seal\` with the new ones lists its
users and API tokens, which are refused until it seals them. What the others sealed cannot be read any more.)`;

/** The files of TLS, which the configuration has checked. */
const tlsIn = (environment) => {
  const files = ['ca', 'cert', 'key'].flatMap((file) => {
    const path = environment[`KEYWARD_STORE_TLS_${file.toUpperCase()}`];
    return path ? [[file, readFileSync(path)]] : [];
  });
  return files.length > 0 ? { tls: Object.fromEntries(files) } : {};
};

/**
 * Records configured secrets in the shared store; refuses generated ones that differ from those recorded
 * (`SetupError`). A store that does not answer is not an error here: the console reports it.
 */
export const checkSharedSecrets = async (storeUrl, environment, made) => {
  const { Redis } = await import('ioredis');
  const { protocol, pathname, searchParams, username, password } = new URL(storeUrl);
  const socket = {
    path: decodeURIComponent(pathname),
    db: Number(searchParams.get('db') ?? 0),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
  const redis = new Redis(protocol === 'redis+unix:' ? socket : storeUrl, {
    ...tlsIn(environment),
    lazyConnect: true,
    connectTimeout: 2000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  redis.on('error', () => {});
  const fingerprint = fingerprintOf(environment);
  let known = fingerprint;
  try {
    await redis.connect();
    if (made && !(await redis.set(KEY, fingerprint, 'NX'))) known = await redis.get(KEY);
    if (!made) await redis.set(KEY, fingerprint);
  } catch {
    return;
  } finally {
    redis.disconnect();
  }
  if (known !== fingerprint) throw new SetupError(REFUSAL);
};
