// Bundled by console.mjs and seal-accounts.mjs: whether the console may run on a store that others also use.
import { createHmac } from 'node:crypto';
import type { Env } from '@/lib/configuration';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { isStoreUnavailable } from '@/lib/redis/failure';
import { openStore, type Store, unsuitableStore } from '@/lib/redis/store';

interface Secrets {
  NEXTAUTH_SECRET: string;
  KEYWARD_SECRET_KEY: string;
}

/** Identifies the secrets and reveals nothing else. */
const KEY = consoleFamilies.secrets.key();

const fingerprintOf = ({ NEXTAUTH_SECRET, KEYWARD_SECRET_KEY }: Secrets): string =>
  createHmac('sha256', KEYWARD_SECRET_KEY).update(NEXTAUTH_SECRET).digest('base64url');

/** `sealAccounts`: how that command is called here. */
const refusal = (
  sealAccounts: string,
): string => `NEXTAUTH_SECRET, KEYWARD_SECRET_KEY: found those made on this machine, but the store of KEYWARD_STORE_URL
is in use with others. Processes that share a store need the same: set both variables, in every process.
(When the others are lost for good: DEL ${KEY} in the store, and \`${sealAccounts}\` with the new ones lists its
users and API tokens, which are refused until it seals them. What the others sealed cannot be read any more.)`;

/** Records configured secrets; generated ones (`made`) must not differ from those recorded. */
const isShared = (store: Store, secrets: Secrets, made: boolean): Promise<boolean> =>
  store.use(async (redis) => {
    const fingerprint = fingerprintOf(secrets);
    if (!made) await redis.set(KEY, fingerprint);
    else if (!(await redis.set(KEY, fingerprint, 'NX'))) return (await redis.get(KEY)) === fingerprint;
    return true;
  });

type Address = Pick<Env, 'storeTls' | 'storeSentinel'> & { storeUrl: string };

/**
 * Why the console must not start on this store; null where it may. A store without an answer does not prevent the
 * start, because the console reports it.
 */
export const problemOfStore = async (
  { storeUrl, storeTls: tls, storeSentinel: sentinel }: Address,
  secrets: Secrets,
  made: boolean,
  sealAccounts: string,
): Promise<string | null> => {
  const store = openStore(storeUrl, { tls, sentinel });
  try {
    const unsuitable = await unsuitableStore(store);
    if (unsuitable) return unsuitable;
    return (await isShared(store, secrets, made)) ? null : refusal(sealAccounts);
  } catch (error) {
    if (isStoreUnavailable(error)) return null;
    throw error;
  } finally {
    store.close();
  }
};
