import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';

/** Keys per pipeline. The benchmarks use a million keys with 300 000 sessions. */
const BATCH_SIZE = 2000;

export const SESSIONS = 300_000;
const OTHERS = 700_000;
const USERS = 120_000;

/** A user with far too many index entries, and a session with far too many fields. */
export const CROWDED = '7000001';
const CROWD = 100_000;
/** A user with three indexed sessions and one of each unindexed form. */
export const USER = '4242';

/** The only session that each search finds. */
export const NEEDLE = {
  username: 'needle-in-the-hay',
  agent: 'Nokia3310/1.0 (05.10) Profile/MIDP-2.0',
  address: '198.51.100.7',
  idleSeconds: 20 * 86_400,
};

const AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_6) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
];

const SIGNATURES = randomBytes(32 * 1024).toString('base64url');
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const HEAD = part({ typ: 'JWT', alg: 'HS256' });

const jwt = (user: number, i: number, at: number): string => {
  const start = (i * 7) % (SIGNATURES.length - 43);
  return `${HEAD}.${part({ user_id: user, username: `user${user}`, iat: at, n: i })}.${SIGNATURES.slice(start, start + 43)}`;
};

const hashOf = (user: number, i: number, at: number): Record<string, string | number> => {
  const isNeedle = i === SESSIONS - 1;
  const device = {
    user_agent: isNeedle ? NEEDLE.agent : AGENTS[i % 3],
    ip: isNeedle ? NEEDLE.address : `203.0.${i % 250}.${(i >> 8) % 250}`,
    location: 'Paris',
  };
  return {
    user_id: user,
    username: isNeedle ? NEEDLE.username : `user${user}`,
    token_type: 'session',
    created_at: at - (i % 2_000_000) - NEEDLE.idleSeconds,
    last_activity: at - (isNeedle ? NEEDLE.idleSeconds : i % 100_000),
    device_info: JSON.stringify(device),
    auth_data: '{"provider":"password","roles":["reader"]}',
  };
};

const fillSessions = async (redis: Redis, at: number): Promise<void> => {
  for (let from = 0; from < SESSIONS; from += BATCH_SIZE) {
    const pipeline = redis.pipeline();
    for (let i = from; i < from + BATCH_SIZE; i++) {
      const user = 1 + (i % USERS);
      const token = jwt(user, i, at);
      const key = `session:${user}:${token}`;
      pipeline.hset(key, hashOf(user, i, at));
      pipeline.expire(key, 2_592_000);
      pipeline.sadd(`user_sessions:${user}`, token);
    }
    await pipeline.exec();
  }
};

const fillOthers = async (redis: Redis): Promise<void> => {
  const others = OTHERS - USERS;
  for (let from = 0; from < others; from += BATCH_SIZE) {
    const pipeline = redis.pipeline();
    for (let i = from; i < Math.min(from + BATCH_SIZE, others); i++) pipeline.set(`author:id:${i}`, '{}');
    await pipeline.exec();
  }
};

/** The data of a user that only a scan finds: an unindexed session, a legacy key, two verification tokens. */
const fillUser = async (redis: Redis, at: number): Promise<void> => {
  await redis.hset(`session:${USER}:${jwt(Number(USER), SESSIONS + 1, at)}`, { user_id: USER });
  await redis.set(`${USER}-user${USER}-${'0123456789abcdef'.repeat(2)}`, '1');
  await redis.hset(`verification:${USER}:email_change:Zq7pXv2mLr9tKw1`, { user_id: USER });
  await redis.set('verification_token:Zq7pXv2mLr9tKw2', JSON.stringify({ user_id: Number(USER) }));
};

const fillCrowd = async (redis: Redis): Promise<void> => {
  for (let from = 0; from < CROWD; from += BATCH_SIZE) {
    const tokens = Array.from({ length: BATCH_SIZE }, (_, i) => jwt(7, from + i, 1));
    await redis.sadd(`user_sessions:${CROWDED}`, ...tokens);
  }
  const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f${i}`, 'x'.repeat(100)]));
  await redis.hset(`session:${CROWDED}:${jwt(7, 1, 1)}`, { ...fields, auth_data: 'x'.repeat(1_000_000) });
};

/** Fills an empty server; `at` in unix seconds. Takes about 15 s. */
export const fillSessionKeyspace = async (redis: Redis, at: number): Promise<void> => {
  await fillSessions(redis, at);
  await fillOthers(redis);
  await fillUser(redis, at);
  await fillCrowd(redis);
};
