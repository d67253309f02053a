import 'server-only';
import { createHash, randomInt } from 'node:crypto';
import { systemActor } from '@/lib/actor';
import { recordEvent } from '@/lib/audit/record';
import { env } from '@/lib/configuration';
import { sameDigest } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { type Store, store } from '@/lib/redis/store';
import { DAY } from '@/lib/time';
import { hashPassword } from './passwords';
import { anyUser, createUser, type StoredUser } from './users';

/** Without letters that resemble digits, and without vowels. */
const ALPHABET = '23456789BCDFGHJKLMNPQRSTVWXZ';
const GROUPS = 4;
const GROUP_LENGTH = 5;
const CODE_LIVES_MS = 30 * DAY;

const makeCode = (): string =>
  Array.from({ length: GROUPS }, () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
  ).join('-');

/** People type codes in lower case, and omit or add dashes. */
const digestOf = (code: string): string =>
  createHash('sha256')
    .update(code.toUpperCase().replace(/[^0-9A-Z]/g, ''))
    .digest('base64url');

const codeKey = consoleFamilies.setupCode.key();

/**
 * Whether the first admin still has to be created with the set-up code; never where one is configured. Throws the
 * store's 503 `Problem`.
 */
export const needsSetup = async (from: Store = store()): Promise<boolean> =>
  env().admin === null && !(await anyUser(from));

const createConfiguredAdmin = async (admin: { email: string; password: string }): Promise<void> => {
  const passwordHash = await hashPassword(admin.password);
  const user = { email: admin.email, name: 'Administrator', role: 'admin' as const, passwordHash };
  const created = await createUser(store(), user, { now: Date.now(), onlyFirst: true });
  if (!created.ok) return;
  await recordEvent({
    actor: systemActor(),
    action: 'account.setup',
    target: created.user.email,
    outcome: 'succeeded',
    detail: 'from KEYWARD_ADMIN_EMAIL',
  });
};

/**
 * Creates the configured admin if there is no user: at the start, or for a sign-in that arrives before the start has
 * finished. Exactly one of several concurrent calls succeeds.
 */
export const ensureConfiguredAdmin = async (): Promise<void> => {
  const { admin } = env();
  if (admin && !(await anyUser(store()))) await createConfiguredAdmin(admin);
};

/**
 * At start, in the leading process: if there is no user, creates the configured admin or a new set-up code (the old one
 * ends). Resolves with the code to print, null when none is needed.
 */
export const prepareFirstRun = async (): Promise<string | null> => {
  if (await needsSetup()) {
    const code = makeCode();
    await store().use((redis) => redis.set(codeKey, digestOf(code), 'PX', CODE_LIVES_MS));
    return code;
  }
  await ensureConfiguredAdmin();
  await store().use((redis) => redis.del(codeKey));
  return null;
};

export type FirstAdmin =
  | { ok: true; user: StoredUser }
  | { ok: false; reason: 'already-set-up' | 'wrong-code' };

/** Creates the first admin with the set-up code. Exactly one of several concurrent calls succeeds. */
export const createFirstAdmin = async (
  store: Store,
  input: { code: string; email: string; name: string; password: string },
  now: number,
): Promise<FirstAdmin> => {
  if (!(await needsSetup(store))) return { ok: false, reason: 'already-set-up' };
  const expected = await store.use((redis) => redis.get(codeKey));
  if (!expected || !sameDigest(expected, digestOf(input.code))) return { ok: false, reason: 'wrong-code' };
  const { email, name } = input;
  const passwordHash = await hashPassword(input.password);
  const user = { email, name, role: 'admin' as const, passwordHash };
  const created = await createUser(store, user, { now, onlyFirst: true });
  if (!created.ok) return { ok: false, reason: 'already-set-up' };
  await store.use((redis) => redis.del(codeKey));
  return created;
};
