import { appendFileSync } from 'node:fs';
import type { Random } from './random';

/** Makes every token and secret of the demo and keeps a list of them, so that tests can look for leaks. */
export interface Ledger {
  jwt(userId: string, username: string, issuedAt: number, expiresAt: number): string;
  /** `length` letters and digits after `prefix`. */
  secret(length: number, prefix?: string): string;
  /** Takes a value made elsewhere (a URL with a password in it) into the list. */
  keep(value: string): string;
  /** Appends what was made since to the file, one a line: call before the values reach Redis. */
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
