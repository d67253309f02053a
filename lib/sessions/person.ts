import 'server-only';
import { displayKey, keyId } from '@/lib/catalog/display';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { readSessions } from './facts';
import { type Found, findAll } from './find';
import { readPersonAudit } from './history';
import { fingerprintOf, handleOf, indexKeyOf, type SessionKey } from './keys';
import { inOrder } from './order';
import type { Session, sessionContracts } from './schema';
import { readAlive } from './tokens/alive';
import { oauthKeysOf } from './tokens/keys';
import { readOauth, readVerifications } from './tokens/view';

type Person = Result<typeof sessionContracts.user>;

/** Sessions of one person that are read and shown; beyond them the answer says that it is cut. */
const MOST_SHOWN = 1000;

/** Each session once, those the index knows first. */
const distinct = ({ entries, sessions }: Found): SessionKey[] => {
  const keys = new Map<string, SessionKey>();
  for (const key of [...entries, ...sessions]) {
    const id = keyId(key.key);
    if (!keys.has(id)) keys.set(id, key);
  }
  return [...keys.values()];
};

const isThere = <T>(token: T | null): token is T => token !== null;

const readTokens = async (ctx: ReadContext, userId: string, found: Found) => {
  const [oauth, verifications] = await Promise.all([
    readOauth(ctx, oauthKeysOf(ctx, userId)),
    readVerifications(ctx, found.verifications),
  ]);
  return { oauth: oauth.filter(isThere), verifications: verifications.filter(isThere) };
};

const readLegacy = async (ctx: ReadContext, found: Found): Promise<Person['legacy']> =>
  (await readAlive(ctx, found.legacy)).map(({ key, userId, token, username, ttlSeconds }) => ({
    handle: handleOf(userId, token),
    fingerprint: fingerprintOf(key),
    username,
    ttlSeconds,
  }));

/** The cache entries about the author that this user is: what the catalog relates to them, and whether it is there. */
const readRelated = async (ctx: ReadContext, userId: string): Promise<Person['related']> => {
  const author = ctx.catalog.get('discours.author-id');
  if (!author) return [];
  const lists = (author.related ?? []).filter(({ params }) =>
    Object.values(params).every((name) => name === 'id'),
  );
  const families = [author, ...lists.map(({ family }) => ctx.catalog.get(family))].filter(
    (family) => family?.cache,
  );
  const named = families.flatMap((family) => {
    const [name] = family?.paramNames ?? [];
    return family && name !== undefined ? [{ family, key: family.key({ [name]: userId }) }] : [];
  });
  const there = new Set((await readAlive(ctx, named)).map(({ family }) => family));
  return named.map(({ family, key }) => ({
    family: family.id,
    title: family.title,
    key: displayKey(key, ctx.catalog),
    keyId: keyId(key),
    exists: there.has(family),
  }));
};

const readIndexSize = async (ctx: ReadContext, userId: string): Promise<number> => {
  const [entries] = await ctx.reader.readMany([['SCARD', indexKeyOf(ctx, userId)]]);
  return typeof entries === 'number' ? entries : 0;
};

/**
 * A person's sessions and tokens, in the order asked for. From the index and exact keys at once; what the index
 * does not know (unindexed and legacy sessions, verifications) with `complete`, and always in a small keyspace.
 */
export const readPerson = async (
  ctx: ReadContext,
  { userId, complete, ...order }: Input<typeof sessionContracts.user>,
): Promise<Person> => {
  const found = await findAll(ctx, new Set([userId]), { complete, most: MOST_SHOWN });
  const keys = distinct(found);
  const shown = keys.slice(0, MOST_SHOWN);
  const [read, tokens, legacy, related, audit, indexEntries] = await Promise.all([
    readSessions(ctx, shown),
    readTokens(ctx, userId, found),
    readLegacy(ctx, found),
    readRelated(ctx, userId),
    readPersonAudit(ctx, userId),
    readIndexSize(ctx, userId),
  ]);
  const sessions = inOrder(
    read.filter((session): session is Session => session !== null),
    order,
  );
  const latest = inOrder(sessions, { sort: 'lastActivity', order: 'desc' });
  const cut = !found.entriesComplete || keys.length > MOST_SHOWN;
  return {
    userId,
    username: [...latest, ...legacy].map(({ username }) => username).find((name) => name !== null) ?? null,
    sessions,
    cut,
    indexEntries,
    ...tokens,
    legacy,
    staleIndex: read.slice(0, found.entries.length).filter((session) => session === null).length,
    unindexed: sessions.filter((session) => session.states.includes('unindexed')).length,
    complete: found.scanned && !cut,
    audit,
    related,
  };
};
