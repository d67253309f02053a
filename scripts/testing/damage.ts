import type { Redis } from 'ioredis';
import { DAY_SECONDS, makeJwt, type SeededSession, seedSession } from './sessions';

/** The contents of a seeded keyspace, in the counts that `sessions.stats` must return. */
export interface SeededDamage {
  /** Every token, secret and value that no response may contain. */
  secrets: string[];
  byState: Record<string, number>;
  sessions: number;
  users: number;
  named: Record<string, SeededSession>;
}

const device = (user_agent: string, ip: string): Record<string, string> => ({
  device_info: JSON.stringify({ user_agent, ip }),
});

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_6) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15';

/** Healthy sessions and every kind of damage seen in practice, in known numbers, and keys that are not sessions. */
export const seedEveryDamage = async (redis: Redis): Promise<SeededDamage> => {
  const now = Math.floor(Date.now() / 1000);
  const secrets: string[] = [];
  const named: Record<string, SeededSession> = {};
  const seed = async (name: string, ...[options]: [Parameters<typeof seedSession>[1]?]) => {
    const seeded = await seedSession(redis, options);
    secrets.push(seeded.token);
    named[name] = seeded;
    return seeded;
  };
  const token = (salt: string) => {
    const made = makeJwt({ user_id: 9 }, salt);
    secrets.push(made);
    return made;
  };
  // Live: 5.
  await seed('anna', { userId: '1', username: 'Анна', fields: device(FIREFOX, '203.0.113.7') });
  await seed('bob', { userId: '2', username: 'Bob*[x]\\', fields: device(SAFARI, '2001:db8::7') });
  await seed('idle', { userId: '3', fields: { last_activity: String(now - 20 * DAY_SECONDS) } });
  await seed('busy', { userId: '3', fields: { last_activity: String(now - 5) } });
  const auth = `${'s3cr3t'.repeat(9)}${'x'.repeat(1_000_000)}`;
  await seed('large', { userId: '3', username: 'large', fields: { auth_data: auth } });
  // Unindexed: 3, two of one user.
  for (const [i, userId] of ['4', '4', '5'].entries())
    await seed(`unindexed${i}`, { userId, indexed: false, ttl: 1000 * (i + 1) });
  // No TTL: 2 sessions, one older than 30 days, and all later ones without a TTL.
  await seed('noTtl', { userId: '6', ttl: null, createdAt: now - DAY_SECONDS });
  await seed('old', { userId: '6', ttl: null, createdAt: now - 40 * DAY_SECONDS });
  // Ghosts: 2, one of them still in the index, the other unindexed.
  for (const salt of ['ghost1', 'ghost2'])
    await redis.hset(`session:7:${token(salt)}`, 'last_activity', String(now));
  await redis.sadd('user_sessions:7', secrets[secrets.length - 1]!);
  // Stale entries: 4; three of them are the only entries of a user.
  for (const salt of ['stale1', 'stale2', 'stale3']) await redis.sadd('user_sessions:8', token(salt));
  await redis.sadd('user_sessions:1', token('stale4'));
  // Legacy: 2, one with the token of a live session.
  await redis.set(`1-Анна-${named.anna!.token}`, '1', 'EX', 600);
  await redis.set(`9-old-name-${token('legacy')}`, '1');
  // Malformed: 6, of which four are unindexed.
  await seed('broken', { userId: '10', fields: { device_info: '{broken' } });
  await seed('foreign', { userId: '10', fields: { user_id: '11' } });
  await redis.set(`session:10:${token('string')}`, 'x', 'EX', 600);
  await redis.hset(Buffer.from('session:10:\xff\xfe', 'latin1'), 'user_id', '10');
  await redis.hset(`session:guest:${token('guest')}`, 'user_id', 'guest');
  await redis.hset('session:', 'user_id', '1');
  // Not a session.
  await redis.set(`session:1:${named.anna!.token}:invalidated`, '1');
  await redis.set('author:id:1', '{}');
  await redis.set('1-2', 'x');
  return {
    secrets: [...secrets, auth.slice(0, 54)],
    named,
    sessions: 5 + 3 + 2 + 2 + 6,
    users: 9,
    byState: {
      live: 5 + 2,
      unindexed: 3 + 1 + 4,
      ghost: 2,
      noTtl: 2 + 2 + 3,
      legacy: 2,
      malformed: 6,
      staleIndex: 4,
    },
  };
};
