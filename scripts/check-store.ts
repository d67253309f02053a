// Bundled by console.mjs and seal-accounts.mjs: whether the console may run on a store that others also use.
import { createHmac } from 'node:crypto';
import type { Env } from '@/lib/configuration';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { isStoreUnavailable } from '@/lib/redis/failure';
import { openStore, type Store, unsuitableStore } from '@/lib/redis/store';
import { isCurrent, newerProblem, olderProblem, readVersion } from '@/lib/upgrade/stored-version';

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

const withStoreAt = async <T>(
  { storeUrl, storeTls: tls, storeSentinel: sentinel }: Address,
  work: (store: Store) => Promise<T | null>,
): Promise<T | null> => {
  const store = openStore(storeUrl, { tls, sentinel });
  try {
    return await work(store);
  } catch (error) {
    if (isStoreUnavailable(error)) return null;
    throw error;
  } finally {
    store.close();
  }
};

/**
 * Why the console must not start on this store; null where it may. A store without an answer does not prevent the
 * start, because the console reports it; nor does one of a newer console, to which nothing is written.
 */
export const problemOfStore = (
  at: Address,
  secrets: Secrets,
  made: boolean,
  sealAccounts: string,
): Promise<string | null> =>
  withStoreAt(at, async (store) => {
    const unsuitable = await unsuitableStore(store);
    if (unsuitable) return unsuitable;
    if (newerProblem(await readVersion(store))) return null;
    return (await isShared(store, secrets, made)) ? null : refusal(sealAccounts);
  });

/** Why a command must not write to this store; null where it may. */
export const problemOfVersion = (at: Address): Promise<string | null> =>
  withStoreAt(at, async (store) => {
    const stored = await readVersion(store);
    if (stored === null || isCurrent(stored)) return null;
    const problem =
      newerProblem(stored) ??
      olderProblem(stored, 'Start the console of this version first, which upgrades it.');
    return problem.message;
  });
