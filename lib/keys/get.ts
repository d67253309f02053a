import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { findKey } from '@/lib/command/key-ids';
import { badField, notFound, Problem } from '@/lib/errors';
import { etagOf } from '@/lib/key-values/etag';
import { identify, type KeyIdentity } from '@/lib/key-values/identity';
import { type KeyState, readKeyState } from '@/lib/key-values/key-state';
import { readRelated } from '@/lib/key-values/links';
import { EDITABLE_TYPES } from '@/lib/key-values/schema';
import { readGroups, showGroups } from '@/lib/key-values/stream-groups';
import { readStringPage } from '@/lib/key-values/string-view';
import { revealedAccess, type ValueAccess, valueAccess } from '@/lib/key-values/value-access';
import { documentedType } from '@/lib/keyspace/drift-rules';
import { isOwn } from '@/lib/keyspace/guarded';
import { ttlInWords } from '@/lib/keyspace/ttl-in-words';
import { may } from '@/lib/permissions';
import type { Key } from '@/lib/redis/commands';
import { exactExpiry } from '@/lib/redis/expiry';
import { isWrongType } from '@/lib/redis/failure';
import { cursorExpired } from '@/lib/redis/server-process';
import { isShared } from '@/lib/redis/shared-value';
import { isoOrNull, SECOND } from '@/lib/time';
import { approvalFlagMatcher } from '@/lib/values/two-person';
import { readDrift } from './drift';
import { type CollectionType, readElements, VECTOR_SET } from './elements';
import { type KeyFacts, readFacts, rowOf } from './rows';
import type { KeyDetails } from './schema';
import { readVectorSet } from './vector-set';

interface PageInput {
  cursor?: string;
  limit: number;
  match?: string;
  decode: boolean;
}

interface GetInput extends PageInput {
  keyId: string;
}

type Value = Pick<KeyDetails, 'string' | 'elements' | 'nextCursor' | 'groups' | 'vectorSet'> & {
  /** Where the state of the key has none. */
  length?: number;
};

/** Parts of elements are up to 8 KiB each. */
const MAX_ELEMENTS = 500;

const NO_VALUE: Value = { string: null, elements: [], nextCursor: null };

/** What OBJECT says; it must be read before anything else, because reading a value resets its idle time. */
const readObject = async ({ reader }: ReadContext, key: Key) => {
  const [encoding, idle, frequency, count] = await reader.readMany([
    ['OBJECT ENCODING', key],
    ['OBJECT IDLETIME', key],
    ['OBJECT FREQ', key],
    ['OBJECT REFCOUNT', key],
  ]);
  return {
    encoding: typeof encoding === 'string' ? encoding : null,
    // The policy allows one of the two.
    idleSeconds: typeof idle === 'number' && !isShared(count) ? idle : null,
    frequency: typeof frequency === 'number' ? frequency : null,
  };
};

/** The part of a cursor behind the type it belongs to. Throws 410 for one of another type. */
const placeIn = (cursor: string | undefined, type: string): string | undefined => {
  if (cursor === undefined) return undefined;
  if (!cursor.startsWith(`${type}.`)) throw cursorExpired();
  return cursor.slice(type.length + 1);
};

const cursorOf = (type: string, next: string | number | null): string | null =>
  next === null ? null : `${type}.${next}`;

const readString = async (
  ctx: ReadContext,
  { key, family }: KeyIdentity,
  access: ValueAccess,
  [{ length }, input]: [KeyState, PageInput],
): Promise<Value> => {
  const place = placeIn(input.cursor, 'string') ?? '0';
  if (!/^\d{1,10}$/.test(place)) throw cursorExpired();
  const { rules, isSingleValue } = access;
  const at = { offset: Number(place), knownLength: length ?? 0 };
  const page = await readStringPage(ctx, key, at, {
    catalog: ctx.catalog,
    rules,
    isSingleValue,
    decode: input.decode,
    hasSecretFields: (family?.sensitiveFields?.length ?? 0) > 0,
    isBitmap: family?.role === 'bitmap',
  });
  return { string: page.view, elements: [], nextCursor: cursorOf('string', page.next) };
};

const isEditable = (type: string): type is CollectionType | 'string' =>
  (EDITABLE_TYPES as readonly string[]).includes(type);

/** A page of the value, as `access` shows it. Throws the server's WRONGTYPE. */
export const readValue = async (
  ctx: ReadContext,
  identity: KeyIdentity,
  access: ValueAccess,
  [state, { memoryBytes }, input]: [KeyState, Pick<KeyFacts, 'memoryBytes'>, PageInput],
): Promise<Value> => {
  const { type, length } = state;
  if (access.hidden) return NO_VALUE;
  if (type === VECTOR_SET)
    return { ...NO_VALUE, ...(await readVectorSet(ctx, identity, access, input.match)) };
  if (!isEditable(type)) return NO_VALUE;
  if (type === 'string') return readString(ctx, identity, access, [state, input]);
  const { match, decode } = input;
  const limit = Math.min(input.limit, MAX_ELEMENTS);
  const cursor = placeIn(input.cursor, type);
  const page = await readElements(ctx, {
    identity,
    type,
    length: length ?? 0,
    memoryBytes,
    cursor,
    limit,
    match,
    decode,
    access,
  });
  const value = { string: null, elements: page.elements, nextCursor: cursorOf(type, page.next) };
  if (type !== 'stream') return value;
  const groups = await readGroups(ctx, identity.key);
  return { ...value, groups: groups && (await showGroups(ctx, access, identity.key, groups)) };
};

const readOnlyReason = (ctx: ReadContext, key: Key, type: string): KeyDetails['readOnlyReason'] => {
  const { config, role } = ctx.connection;
  if (isOwn(ctx.catalog, key)) return 'ownKey';
  if (config.readOnly || role() === 'replica') return 'readOnly';
  if (ctx.actor.role === null || !may(ctx.actor.role, 'keys:write')) return 'permission';
  if (!isEditable(type)) return 'type';
  return approvalFlagMatcher(ctx)(key) ? 'approval' : null;
};

const documentedOf = ({ family, state }: KeyIdentity): KeyDetails['documented'] => {
  if (!family || state !== 'classified') return null;
  const { purpose, role = null, ttl } = family;
  return { type: documentedType(family), ttl: ttlInWords(ttl), purpose, role };
};

/** Redis takes expiries that no ISO time can express. */
const expiryOf = async (
  ctx: ReadContext,
  key: Key,
  { ttlSeconds }: KeyFacts,
): Promise<Pick<KeyDetails, 'expiresAt' | 'expiresAtMs'>> => {
  if (ttlSeconds === null) return { expiresAt: null };
  const near = ctx.now() + ttlSeconds * SECOND;
  const expiresAt = isoOrNull(near);
  if (expiresAt !== null) return { expiresAt };
  return { expiresAt, expiresAtMs: String(await exactExpiry(ctx.connection, key, near)) };
};

const GUESSED = 'Open this key from a list of keys: its name may be a secret.';

const read = async (ctx: ReadContext, key: Key, input: GetInput): Promise<KeyDetails> => {
  const object = await readObject(ctx, key);
  const [[facts], [identity]] = await Promise.all([readFacts(ctx, [key]), identify(ctx, [key])]);
  if (!identity || (identity.guessable && !/^[sh]\./.test(input.keyId))) throw badField('keyId', GUESSED);
  const state = facts && (await readKeyState(ctx, key));
  if (!facts || !state) throw notFound('This key');
  // The etag is read before the value: if the key changes in between, saving is refused and nothing is lost.
  const now = { ...facts, type: state.type };
  const access = valueAccess(ctx, identity);
  const value = await readValue(ctx, identity, access, [state, now, input]);
  const [related, drift] = await Promise.all([readRelated(ctx, identity), readDrift(ctx, identity, now)]);
  return {
    ...rowOf(ctx, identity, now),
    ...(await expiryOf(ctx, key, now)),
    ...object,
    length: state.length,
    documented: documentedOf(identity),
    etag: etagOf(ctx, key, state),
    hidden: access.hidden,
    needs: access.needs,
    revealable: revealedAccess(ctx, identity) !== null,
    page: access.page,
    readOnlyReason: readOnlyReason(ctx, key, now.type),
    ...value,
    related,
    drift,
  };
};

const CHANGED = 'The type of this key keeps changing while it is read. Try again.';

/**
 * A key with a page of its value. Throws 404 where it does not exist, 410 for a cursor of another type, and 409 where its
 * type changed twice while it was read.
 */
export const getKey = async (ctx: ReadContext, input: GetInput): Promise<KeyDetails> => {
  const key = await findKey(ctx, input.keyId);
  for (let attempt = 1; ; attempt++) {
    try {
      return await read(ctx, key, input);
    } catch (error) {
      if (!isWrongType(error)) throw error;
      if (attempt === 2) throw new Problem('conflict', CHANGED);
    }
  }
};
