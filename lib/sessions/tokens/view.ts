import 'server-only';
import type { Family } from '@/lib/catalog/family';
import type { ReadContext } from '@/lib/command/context';
import { isoOrNull, SECOND, ttlSeconds, unixSeconds } from '@/lib/time';
import { clean } from '../clean';
import { familyOf } from '../keys';
import { USER_ID } from '../schema';
import { type OauthKey, type StateKey, tokenId, type VerificationKey } from './keys';
import type { OauthState, OauthToken, VerificationToken } from './schema';
import { readHashFields, readJsonFields } from './values';

type Lifetime = Pick<OauthState, 'createdAt' | 'createdFrom' | 'ttlSeconds'>;

const usualTtl = ({ ttl }: Family): number | null =>
  typeof ttl === 'object' && 'seconds' in ttl ? ttl.seconds * SECOND : null;

/** Created when the value says, else when its TTL began if that was the family's usual one. */
const lifetime = (family: Family, pttl: number, created: string | null, now: number): Lifetime => {
  const said = unixSeconds(created);
  const usual = usualTtl(family);
  const began = usual !== null && pttl >= 0 && pttl <= usual ? now - (usual - pttl) : null;
  const createdAt = isoOrNull(said ?? began);
  return {
    createdAt,
    createdFrom: createdAt === null ? null : said === null ? 'ttl' : 'value',
    ttlSeconds: ttlSeconds(pttl) ?? null,
  };
};

const short = (text: string | null | undefined): string | null => (text ? clean(text, 60) : null);

/** Each as it is shown; null for one that is gone. */
export const readOauth = async (
  ctx: ReadContext,
  keys: readonly OauthKey[],
): Promise<(OauthToken | null)[]> => {
  const values = await readJsonFields(
    ctx,
    keys.map(({ key }) => key),
    ['created_at'],
  );
  const now = ctx.now();
  return keys.map(({ key, userId, kind, provider }, i) => {
    const value = values[i];
    if (!value) return null;
    const family = familyOf(ctx, `discours.oauth-${kind}`);
    const life = lifetime(family, value.pttl, value.fields[0] ?? null, now);
    return { id: tokenId(key, userId), userId, kind, provider, form: value.form, ...life };
  });
};

const TYPES = ['verification_type', 'token_type', 'type'];

/** Each as it is shown; null for one that is gone. */
export const readVerifications = async (
  ctx: ReadContext,
  keys: readonly VerificationKey[],
): Promise<(VerificationToken | null)[]> => {
  const keysOf = (form: VerificationKey['form']) =>
    keys.filter((key) => key.form === form).map(({ key }) => key);
  const [hashes, strings] = await Promise.all([
    readHashFields(ctx, keysOf('hash'), ['created_at']),
    readJsonFields(ctx, keysOf('json'), ['created_at', 'user_id', ...TYPES]),
  ]);
  const now = ctx.now();
  const next = { hash: 0, json: 0 };
  return keys.map(({ key, form, userId, type }) => {
    const value = (form === 'hash' ? hashes : strings)[next[form]++];
    if (!value) return null;
    const [created, user, ...types] = value.fields;
    const family = familyOf(ctx, form === 'hash' ? 'discours.verification' : 'discours.verification-token');
    return {
      id: tokenId(key),
      userId: userId ?? (user && USER_ID.test(user) ? user : null),
      kind: 'verification',
      type: type ?? short(types.find((text) => text)),
      form,
      ...lifetime(family, value.pttl, created ?? null, now),
    };
  });
};

/** Each as it is shown; null for one that is gone. */
export const readStates = async (
  ctx: ReadContext,
  keys: readonly StateKey[],
): Promise<(OauthState | null)[]> => {
  const values = await readHashFields(
    ctx,
    keys.map(({ key }) => key),
    ['provider', 'created_at'],
  );
  const family = familyOf(ctx, 'discours.oauth-state');
  const now = ctx.now();
  return keys.map(({ key }, i) => {
    const value = values[i];
    if (!value) return null;
    const [provider, created] = value.fields;
    return {
      id: tokenId(key),
      provider: short(provider),
      ...lifetime(family, value.pttl, created ?? null, now),
    };
  });
};
