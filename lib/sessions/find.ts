import 'server-only';
import { keyId } from '@/lib/catalog/display';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { isWrongType } from '@/lib/redis/failure';
import { scanKeys } from '@/lib/redis/scan';
import { textOf } from '@/lib/values/string-value';
import { clean } from './clean';
import {
  familyOf,
  indexKeyOf,
  type LegacyKey,
  parseLegacyKey,
  parseSessionKey,
  type SessionKey,
  sessionKeyOf,
} from './keys';

export interface VerificationKey {
  key: Key;
  userId: string;
  /** For reading. */
  type: string | null;
}

/** Everything that lets these users in, as far as it was looked for. */
export interface Found {
  /** Tokens of the index. The sessions they name may be gone. */
  entries: SessionKey[];
  /** The index was read to its end. */
  entriesComplete: boolean;
  /** By a scan: what exists, whether the index knows it or not. */
  sessions: SessionKey[];
  legacy: LegacyKey[];
  verifications: VerificationKey[];
  scanned: boolean;
}

/** Below this many keys a scan costs so little that every answer is complete (api.md, `sessions.user`). */
export const SMALL_KEYSPACE = 50_000;

const ENTRIES_A_CALL = 500;

/** The index of one user, a call at a time, up to `most` entries. An index of the wrong type knows nothing. */
const readIndex = async (
  ctx: ReadContext,
  userId: string,
  most: number,
): Promise<{ entries: SessionKey[]; complete: boolean }> => {
  const index = indexKeyOf(ctx, userId);
  const entries = new Map<string, SessionKey>();
  let cursor = '0';
  try {
    do {
      const page = await ctx.reader.scanCollection('SSCAN', index, cursor, { count: ENTRIES_A_CALL });
      for (const token of page.elements) {
        const key = sessionKeyOf(ctx, userId, token);
        const wellFormed = ctx.catalog.classify(key).family?.id === 'discours.session';
        entries.set(keyId(key), { key, userId, token, wellFormed });
      }
      cursor = page.cursor;
    } while (cursor !== '0' && entries.size < most);
  } catch (error) {
    if (!isWrongType(error)) throw error;
  }
  const complete = cursor === '0' && entries.size <= most;
  return { entries: [...entries.values()].slice(0, most), complete };
};

const LONGEST_VERIFICATION = 4096;
const VALUES_A_CALL = 200;

/** `verification_token:{token}` names its user in its JSON value only. */
const readVerificationTokens = async (
  ctx: ReadContext,
  keys: readonly Key[],
  users: ReadonlySet<string>,
): Promise<VerificationKey[]> => {
  const found: VerificationKey[] = [];
  for (let from = 0; from < keys.length; from += VALUES_A_CALL) {
    const slice = keys.slice(from, from + VALUES_A_CALL);
    const values = await ctx.reader.getStrings(slice, LONGEST_VERIFICATION);
    values.forEach((value, i) => {
      if (value === null || value instanceof Error) return;
      const claim = readClaim(value.bytes);
      if (claim && users.has(claim.userId)) found.push({ key: slice[i]!, ...claim });
    });
  }
  return found;
};

const readClaim = (bytes: Buffer): { userId: string; type: string | null } | null => {
  try {
    const value = JSON.parse(textOf(bytes) ?? '') as Record<string, unknown> | null;
    const userId = value?.user_id;
    if (typeof userId !== 'string' && typeof userId !== 'number') return null;
    const type = value?.verification_type ?? value?.token_type ?? value?.type;
    return { userId: String(userId), type: typeof type === 'string' ? clean(type, 60) : null };
  } catch {
    return null;
  }
};

/** What to look through: all keys where they are few; else only what can be one of a user's. */
const patternsOf = (ctx: ReadContext, users: ReadonlySet<string>, size: number): (string | undefined)[] => {
  const [only] = users;
  if (size < SMALL_KEYSPACE || users.size !== 1) return [undefined];
  // session:{id}:…, verification:{id}:… and {id}-… in one pass; a leading dash is no range, digits need no escape.
  return [`*${only}[-:]*`, familyOf(ctx, 'discours.verification-token').match()];
};

type Scanned = Pick<Found, 'sessions' | 'legacy' | 'verifications'>;

const scanFor = async (ctx: ReadContext, users: ReadonlySet<string>, size: number): Promise<Scanned> => {
  const sessions = new Map<string, SessionKey>();
  const legacy = new Map<string, LegacyKey>();
  const verifications = new Map<string, VerificationKey>();
  const tokens = new Map<string, Key>();
  const sort = (key: Key): void => {
    const { family, ...found } = ctx.catalog.classify(key);
    const params = 'params' in found ? found.params : {};
    if (family?.id === 'discours.verification-token') tokens.set(keyId(key), key);
    else if (family?.id === 'discours.verification') {
      if (users.has(params.user_id!))
        verifications.set(keyId(key), { key, userId: params.user_id!, type: params.type ?? null });
    } else if (family?.id === 'discours.legacy-session') {
      const parsed = users.has(params.user_id!) ? parseLegacyKey(ctx, key) : null;
      if (parsed) legacy.set(keyId(key), parsed);
    } else if (family === null || family.id === 'discours.session') {
      const parsed = parseSessionKey(ctx, key);
      if (parsed?.userId && users.has(parsed.userId)) sessions.set(keyId(key), parsed);
    }
  };
  const look = async (match: string | undefined): Promise<void> => {
    for await (const { keys } of scanKeys(ctx.connection, { match })) keys.forEach(sort);
  };
  await Promise.all(patternsOf(ctx, users, size).map(look));
  for (const one of await readVerificationTokens(ctx, [...tokens.values()], users))
    verifications.set(keyId(one.key), one);
  return {
    sessions: [...sessions.values()],
    legacy: [...legacy.values()],
    verifications: [...verifications.values()],
  };
};

/**
 * What lets these users in: from their indexes at once, and by a scan where `complete` is asked for or the keyspace
 * is small. `most`: index entries read of each user.
 */
export const findAll = async (
  ctx: ReadContext,
  users: ReadonlySet<string>,
  { complete, most = Infinity }: { complete: boolean; most?: number },
): Promise<Found> => {
  const size = await ctx.reader.size();
  const scanned = complete || size < SMALL_KEYSPACE;
  const found: Scanned = scanned
    ? await scanFor(ctx, users, size)
    : { sessions: [], legacy: [], verifications: [] };
  const entries: SessionKey[] = [];
  let entriesComplete = true;
  for (const userId of users) {
    const index = await readIndex(ctx, userId, most);
    for (const entry of index.entries) entries.push(entry);
    entriesComplete &&= index.complete;
  }
  return { ...found, entries, entriesComplete, scanned };
};
