import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JWT like the publishing platform's; the signature is any text that differs between tokens. */
export const makeJwt = (claims: object, salt = ''): string => {
  const signed = `${part({ typ: 'JWT', alg: 'HS256' })}.${part(claims)}`;
  return `${signed}.${createHash('sha256').update(`${signed}${salt}`).digest('base64url')}`;
};

export const DAY_SECONDS = 86_400;

export interface SeededSession {
  key: string;
  token: string;
  userId: string;
}

interface SessionSeed {
  userId?: string;
  username?: string;
  token?: string;
  /** Unix seconds. */
  createdAt?: number;
  /** Seconds; null for none. */
  ttl?: number | null;
  indexed?: boolean;
  fields?: Record<string, string | Buffer>;
}

let made = 0;

/** Writes a session as the application does: hash with TTL, and index entry. */
export const seedSession = async (redis: Redis, seed: SessionSeed = {}): Promise<SeededSession> => {
  const userId = seed.userId ?? '123';
  const createdAt = seed.createdAt ?? Math.floor(Date.now() / 1000) - 60;
  const claims = { user_id: userId, iat: createdAt, exp: createdAt + 30 * DAY_SECONDS };
  made += 1;
  const token = seed.token ?? makeJwt(claims, String(made));
  const key = `session:${userId}:${token}`;
  await redis.hset(key, {
    user_id: userId,
    username: seed.username ?? 'alice',
    token_type: 'session',
    created_at: String(createdAt),
    ...seed.fields,
  });
  if (seed.ttl !== null) await redis.expire(key, seed.ttl ?? 30 * DAY_SECONDS);
  if (seed.indexed ?? true) await redis.sadd(`user_sessions:${userId}`, token);
  return { key, token, userId };
};

/** Throws if the text contains any 12 consecutive characters of one of these secrets. */
export const expectNoSecret = (text: string, secrets: readonly string[]): void => {
  for (const secret of secrets) {
    for (let at = 0; at + 12 <= secret.length; at++) {
      const piece = secret.slice(at, at + 12);
      if (text.includes(piece))
        throw new Error(`A piece of a secret is in the text, at ${text.indexOf(piece)}`);
    }
  }
};
