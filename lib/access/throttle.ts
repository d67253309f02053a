import 'server-only';
import ipaddr from 'ipaddr.js';
import { digest } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { DAY, MINUTE } from '@/lib/time';

type Kind =
  | 'pair'
  | 'address'
  | 'account-wide'
  | 'device'
  | 'password'
  | 'setup'
  | 'second-factor'
  | 'logout'
  | 'invitation';

/** What attempts are counted against. */
export interface Bucket {
  kind: Kind;
  /** An e-mail address, a network, both, a device or a user's id; stored as a keyed digest only. */
  subject: string;
}

interface Limit {
  free: number;
  maxWaitMs: number;
  /** This bucket does not delay a caller with fewer attempts in the first bucket, or none there for an hour. */
  newcomers?: number;
}

const LIMIT: Limit = { free: 5, maxWaitMs: 15 * MINUTE };
const LIMITS: Record<Kind, Limit> = {
  pair: LIMIT,
  address: { ...LIMIT, free: 10 },
  'account-wide': { free: 100, maxWaitMs: MINUTE, newcomers: 3 },
  device: LIMIT,
  password: LIMIT,
  setup: LIMIT,
  'second-factor': LIMIT,
  // A provider may end many sessions at once.
  logout: { free: 100, maxWaitMs: MINUTE },
  invitation: LIMIT,
};
const FORGETS_ONE = 10 * MINUTE;
const IDLE = DAY;

const keyOf = ({ kind, subject }: Bucket): Buffer =>
  consoleFamilies.throttle.key({ kind, digest: digest('throttle', `${kind}:${subject}`) });

/** One IPv6 customer has at least 2^64 addresses: they count together. */
const network = (address: string, bits = 64): string => {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const bytes = ipaddr.IPv6.parse(address)
    .toByteArray()
    .slice(0, bits / 8);
  return `${Buffer.from(bytes).toString('hex')}/${bits}`;
};

/** A site may have up to 65 536 IPv6 networks: against one account they count together. */
const SITE_BITS = 48;

/**
 * The buckets of a sign-in from an unknown device. Attempts from other networks fill only the last bucket, which does
 * not delay networks with few attempts: strangers cannot lock out the owner of the right password.
 */
export const strangerBuckets = (email: string, address: string): Bucket[] => [
  { kind: 'pair', subject: `${email.toLowerCase()} ${network(address, SITE_BITS)}` },
  { kind: 'address', subject: network(address) },
  { kind: 'account-wide', subject: email.toLowerCase() },
];

/** The only bucket of a known device: strangers in its network do not fill it. */
export const deviceBucket = (id: string): Bucket => ({ kind: 'device', subject: id });
export const passwordBucket = (userId: string): Bucket => ({ kind: 'password', subject: userId });
export const secondFactorBucket = (userId: string): Bucket => ({ kind: 'second-factor', subject: userId });
export const setupBucket = (address: string): Bucket => ({ kind: 'setup', subject: network(address) });
export const logoutBucket = (address: string): Bucket => ({ kind: 'logout', subject: network(address) });
export const invitationBucket = (address: string): Bucket => ({
  kind: 'invitation',
  subject: network(address),
});

/**
 * Takes an attempt, which counts as failed until it is refunded. Resolves with the seconds to wait, 0 when the attempt
 * may be made. Throws the store's 503 `Problem`.
 */
export const takeAttempt = async (store: Store, buckets: readonly Bucket[], now: number): Promise<number> => {
  const limits = buckets.map(({ kind }) => LIMITS[kind]);
  const [, , wait] = (await store.run('throttle-take', buckets.map(keyOf), [
    now,
    FORGETS_ONE,
    IDLE,
    ...limits.flatMap(({ free, maxWaitMs, newcomers = 0 }) => [free, maxWaitMs, newcomers]),
  ])) as [number, number, number];
  return Math.ceil(wait / 1000);
};

/**
 * Refunds a successful attempt. It clears the failures of the pair, device or user, but not those of a network or an
 * account.
 */
export const refundAttempt = async (store: Store, buckets: readonly Bucket[]): Promise<void> => {
  const goesOn = ({ kind }: Bucket): boolean => kind === 'address' || kind === 'account-wide';
  await store.run(
    'throttle-return',
    buckets.map(keyOf),
    buckets.map((bucket) => (goesOn(bucket) ? LIMITS[bucket.kind].free : -1)),
  );
};
