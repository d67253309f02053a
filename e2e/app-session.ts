import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';

export const DAY = 86_400;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token in the application's format. */
export const makeToken = (userId: string): string => {
  const now = Math.floor(Date.now() / 1000);
  const claims = { user_id: userId, sub: userId, iat: now, exp: now + 30 * DAY };
  return [part({ alg: 'HS256', typ: 'JWT' }), part(claims), randomBytes(32).toString('base64url')].join('.');
};

/** Writes a session of a user as the application does. Resolves with its token. */
export const writeSession = async (
  redis: Redis,
  user: { id: string; name: string },
  { indexed = true, device = 'Chrome on the kitchen table' } = {},
): Promise<string> => {
  const token = makeToken(user.id);
  const now = String(Math.floor(Date.now() / 1000));
  await redis.hset(`session:${user.id}:${token}`, {
    user_id: user.id,
    username: user.name,
    token_type: 'session',
    created_at: now,
    last_activity: now,
    device_info: JSON.stringify({ device_name: device, ip: '192.0.2.44' }),
  });
  await redis.expire(`session:${user.id}:${token}`, 30 * DAY);
  if (indexed) await redis.sadd(`user_sessions:${user.id}`, token);
  return token;
};
