import 'server-only';
import { hash, type Options, verify } from '@node-rs/argon2';

/** argon2id, OWASP Password Storage Cheat Sheet: 19 MiB, 2 passes, 1 lane. */
const PARAMETERS: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string): Promise<string> => hash(password, PARAMETERS);

let decoy: Promise<string> | null = null;

/**
 * Whether the password matches `stored`. Without a stored hash (no such user, or no password) the same work is done on
 * a decoy, so that the response time does not reveal who has an account.
 */
export const verifyPassword = async (stored: string | null, password: string): Promise<boolean> => {
  decoy ??= hashPassword(crypto.randomUUID());
  const matches = await verify(stored || (await decoy), password);
  return Boolean(stored) && matches;
};
