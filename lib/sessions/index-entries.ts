import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { ReadCommand } from '@/lib/redis/commands';
import { distinct } from '@/lib/redis/distinct';
import { isWrongType } from '@/lib/redis/failure';
import { readScript } from '@/lib/redis/read-script';
import { indexKeyOf, type SessionKey, sessionKeyOf } from './keys';

/** One page of a user's index. */
export interface IndexPage {
  entries: SessionKey[];
  /** Entries examined. */
  examined: number;
  /** `0` after the last. */
  next: string;
}

/** The session key that an index entry names; it may not exist. */
export const entryOf = (ctx: ReadContext, userId: string, token: Buffer): SessionKey => {
  const key = sessionKeyOf(ctx, userId, token);
  const wellFormed = ctx.catalog.classify(key).family?.id === 'discours.session';
  return { key, userId, index: indexKeyOf(ctx, userId), token, wellFormed };
};

const EMPTY = { entries: [], examined: 0, next: '0' };

/** One page of all entries; an index of the wrong type has none. SSCAN may return an entry twice. */
export const readIndexPage = async (
  ctx: ReadContext,
  userId: string,
  cursor: string,
  count: number,
): Promise<IndexPage> => {
  try {
    const page = await ctx.reader.scanCollection('SSCAN', indexKeyOf(ctx, userId), cursor, { count });
    const entries = page.elements.map((token) => entryOf(ctx, userId, token));
    return { entries, examined: entries.length, next: page.cursor };
  } catch (error) {
    if (!isWrongType(error)) throw error;
    return EMPTY;
  }
};

/** The entries of one page whose session does not exist. */
export const readStalePage = async (
  ctx: ReadContext,
  userId: string,
  cursor: string,
  count: number,
): Promise<IndexPage> => {
  const begin = sessionKeyOf(ctx, userId, Buffer.alloc(0));
  const args = [cursor, count, begin];
  const reply = await readScript(ctx.connection, 'stale-entries', [indexKeyOf(ctx, userId)], args, 'scan');
  if (reply) {
    const [next, examined, ...tokens] = reply as [Buffer, number, ...Buffer[]];
    const entries = tokens.map((token) => entryOf(ctx, userId, token));
    return { entries, examined, next: next.toString('latin1') };
  }
  const page = await readIndexPage(ctx, userId, cursor, count);
  const there: readonly unknown[] = await ctx.reader.readMany(
    page.entries.map(({ key }): ReadCommand => ['EXISTS', key]),
  );
  return { ...page, entries: page.entries.filter((_, i) => there[i] === 0) };
};

const ENTRIES_PER_CALL = 500;

/** All pages of an index, one at a time: an index of a hundred thousand entries is never in memory completely. */
export async function* indexPages(ctx: ReadContext, userId: string): AsyncGenerator<SessionKey[]> {
  let cursor = '0';
  do {
    const page = await readIndexPage(ctx, userId, cursor, ENTRIES_PER_CALL);
    yield page.entries;
    cursor = page.next;
  } while (cursor !== '0');
}

const PARALLEL_INDEXES = 50;
const STALE_ENTRIES_PER_CALL = 200;

/** The stale entries of several users' indexes, a page at a time, each once. */
export async function* staleEntriesOf(
  ctx: ReadContext,
  users: readonly string[],
): AsyncGenerator<SessionKey[]> {
  let open = users.map((userId) => ({ userId, cursor: '0', isNew: distinct() }));
  while (open.length > 0) {
    const some = open.slice(0, PARALLEL_INDEXES);
    const pages = await Promise.all(
      some.map(({ userId, cursor }) => readStalePage(ctx, userId, cursor, STALE_ENTRIES_PER_CALL)),
    );
    for (const [i, { isNew }] of some.entries()) {
      const entries = pages[i]!.entries.filter(({ token }) => isNew(token));
      if (entries.length > 0) yield entries;
    }
    const unfinished = some
      .map((index, i) => ({ ...index, cursor: pages[i]!.next }))
      .filter(({ cursor }) => cursor !== '0');
    open = [...unfinished, ...open.slice(PARALLEL_INDEXES)];
  }
}
