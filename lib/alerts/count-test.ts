import 'server-only';
import { Problem } from '@/lib/errors';
import { allReplies, type Store } from '@/lib/redis/store';

const MAX_TESTS = 10;
const TESTS_SECONDS = 60;

/** Counts a test message in `key`. Throws 429 for too many within a minute. */
export const countTest = async (store: Store, key: Buffer): Promise<void> => {
  const [, count] = await store.use(async (redis) =>
    allReplies(await redis.multi().set(key, 0, 'EX', TESTS_SECONDS, 'NX').incr(key).exec()),
  );
  if (Number(count) <= MAX_TESTS) return;
  throw new Problem('throttled', `${MAX_TESTS} test messages per minute may be sent. Try again later.`, {
    extensions: { retryAfterSeconds: TESTS_SECONDS },
  });
};
