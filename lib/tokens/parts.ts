import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Family } from '@/lib/keyspace/family';
import type { Key } from '@/lib/redis/commands';
import { partIn } from '@/lib/role-keys/part-in-key';
import { isUserId } from '@/lib/sessions/schema';
import type { TokenKey, VerificationKey } from './keys';
import { readHashFields, readJsonFields, type TokenValue } from './values';

/** What was read of one token. */
export interface TokenParts extends Pick<TokenValue, 'pttl' | 'form'> {
  /** By the names of parts, as text; null where there is none, or none that can be read. */
  parts: Readonly<Record<string, string | null>>;
}

/** The names of a part's field, in order of preference. */
const namesOf = (family: Family, name: string): readonly string[] => {
  const part = family.part(name);
  return part && 'field' in part ? [part.field, ...(part.or ?? [])] : [];
};

/** A pending sign-in is a hash, or a JSON string in its place. */
const readForms = async (
  ctx: ReadContext,
  { role, type }: Family,
  keys: readonly Key[],
  names: readonly string[],
): Promise<(TokenValue | null)[]> => {
  if (role !== 'sign-in-state')
    return type === 'hash' ? readHashFields(ctx, keys, names) : readJsonFields(ctx, keys, names);
  const [hashes, strings] = await Promise.all([
    readHashFields(ctx, keys, names),
    readJsonFields(ctx, keys, names),
  ]);
  return keys.map((_, i) => (strings[i]?.form === 'other' ? hashes[i]! : strings[i]!));
};

const readFamily = async (
  ctx: ReadContext,
  family: Family,
  keys: readonly Key[],
  parts: readonly string[],
): Promise<(TokenParts | null)[]> => {
  const names = parts.map((name) => namesOf(family, name));
  const values = await readForms(ctx, family, keys, names.flat());
  return keys.map((key, i) => {
    const value = values[i];
    if (!value) return null;
    const texts = [...value.fields];
    const found = parts.map((name, p) => {
      const own = texts.splice(0, names[p]!.length);
      return [name, own.find((text) => text) ?? partIn(family, family.parse(key), name)];
    });
    return { pttl: value.pttl, form: value.form, parts: Object.fromEntries(found) };
  });
};

/** These parts of tokens' values, each read as its family says; null for a token that does not exist. */
export const readParts = async (
  ctx: ReadContext,
  tokens: readonly TokenKey[],
  parts: readonly string[],
): Promise<(TokenParts | null)[]> => {
  const out = new Map<TokenKey, TokenParts | null>();
  const families = [...new Set(tokens.map(({ family }) => family))];
  await Promise.all(
    families.map(async (family) => {
      const own = tokens.filter((token) => token.family === family);
      const keys = own.map(({ key }) => key);
      const read = await readFamily(ctx, family, keys, parts);
      for (const [i, token] of own.entries()) out.set(token, read[i] ?? null);
    }),
  );
  return tokens.map((token) => out.get(token) ?? null);
};

/** The user that a token's value names; null where it names none. */
export const readOwnersOf = async (
  ctx: ReadContext,
  tokens: readonly VerificationKey[],
): Promise<(string | null)[]> => {
  const read = await readParts(ctx, tokens, ['userId']);
  return read.map((token) =>
    token?.parts.userId && isUserId(token.parts.userId) ? token.parts.userId : null,
  );
};
