import type { Result } from '@/lib/contract';
import type { Lock, lockContracts } from '@/lib/locks/schema';

/** A lock without problems as the list returns it. */
export const lockRow = (key: string, change: Partial<Lock> = {}): Lock => ({
  keyId: Buffer.from(key).toString('base64url'),
  key,
  operation: 'publish',
  entityId: '12',
  owner: 'b7f1•••',
  ownerDigest: 'k3Fs9aQz',
  type: 'string',
  ttlSeconds: 20,
  maxTtlSeconds: 30,
  ageSeconds: 10,
  ageIsAtLeast: false,
  problems: [],
  etag: `etag of ${key}`,
  family: 'press.lock',
  app: 'press',
  ...change,
});

type LockPage = Result<typeof lockContracts.list>;
/** The complete list of these locks, as a scan has just found them. */
export const lockPage = (items: Lock[], change: Partial<LockPage> = {}): LockPage => ({
  items,
  nextCursor: null,
  total: items.length,
  operations: ['import', 'publish'],
  withProblems: items.filter(({ problems }) => problems.length > 0).length,
  problems: { noTtl: 1, longerThanBand: 0, noOwner: 2, empty: 0, wrongType: 0, tooLarge: 0, unreadable: 0 },
  foundAt: new Date().toISOString(),
  readAt: new Date().toISOString(),
  isComplete: true,
  ...change,
});
