import 'server-only';
import ipaddr from 'ipaddr.js';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import { digest } from '@/lib/keyring';
import type { Store } from '@/lib/redis/store';
import { HOUR, MINUTE } from '@/lib/time';

/** What attempts are counted against: an account or an address, for one purpose. */
export interface Bucket {
  kind: 'account' | 'address' | 'setup';
  /** An e-mail address or a network address; kept as a keyed digest only. */
  subject: string;
}

const FREE: Record<Bucket['kind'], number> = { account: 5, address: 10, setup: 5 };
const MAX_WAIT = 15 * MINUTE;
const FORGETS_ONE = 10 * MINUTE;
const IDLE = 6 * HOUR;

const keyOf = ({ kind, subject }: Bucket): Buffer =>
  consoleFamilies.throttle.key({ kind, digest: digest('throttle', `${kind}:${subject}`) });

/** Who has one IPv6 address has 2^64 of them: they count together. */
const network = (address: string): string => {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const bytes = ipaddr.IPv6.parse(address).toByteArray().slice(0, 8);
  return `${Buffer.from(bytes).toString('hex')}/64`;
};

export const accountBucket = (email: string): Bucket => ({ kind: 'account', subject: email.toLowerCase() });
export const addressBucket = (address: string, kind: 'address' | 'setup' = 'address'): Bucket => ({
  kind,
  subject: network(address),
});

/**
 * Takes an attempt; it counts as failed until it is given back. Resolves with the seconds to wait, 0 when the
 * attempt may be made. Throws the store's 503 `Problem`.
 */
export const takeAttempt = async (store: Store, buckets: readonly Bucket[], now: number): Promise<number> => {
  const [, , wait] = (await store.run('throttle-take', buckets.map(keyOf), [
    now,
    MAX_WAIT,
    FORGETS_ONE,
    IDLE,
    ...buckets.map(({ kind }) => FREE[kind]),
  ])) as [number, number, number];
  return Math.ceil(wait / 1000);
};

/** Gives a successful attempt back; an account that proved itself starts anew, an address does not. */
export const returnAttempt = async (store: Store, buckets: readonly Bucket[]): Promise<void> => {
  await store.run(
    'throttle-return',
    buckets.map(keyOf),
    buckets.map(({ kind }) => (kind === 'account' ? -1 : FREE[kind])),
  );
};
