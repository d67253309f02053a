import { appendFileSync } from 'node:fs';
import type { Random } from './random';

/** Generates every token and secret of the demo and lists them, so that tests can search for leaks. */
export interface Ledger {
  jwt(userId: string, username: string, issuedAt: number, expiresAt: number): string;
  /** `length` letters and digits after `prefix`. */
  secret(length: number, prefix?: string): string;
  /** Adds a value generated elsewhere (a URL with a password in it) to the list. */
  keep(value: string): string;
  /** Appends new values to the file, one per line. Call before they reach Redis. */
  write(): void;
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const HEADER = part({ typ: 'JWT', alg: 'HS256' });

export const ledgerOf = (random: Random, file: string | undefined): Ledger => {
  let made: string[] = [];
  const keep = (value: string): string => {
    if (file) made.push(value);
    return value;
  };
  return {
    jwt: (userId, username, iat, exp) => {
      const payload = part({ sub: userId, user_id: userId, username, iat, exp, jti: random.hex(16) });
      return keep(`${HEADER}.${payload}.${random.bytes(32).toString('base64url')}`);
    },
    secret: (length, prefix = '') => keep(prefix + random.word(length)),
    keep,
    write: () => {
      if (file && made.length > 0) appendFileSync(file, `${made.join('\n')}\n`, { mode: 0o600 });
      made = [];
    },
  };
};
