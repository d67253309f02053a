import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { ReadCommand } from '@/lib/redis/commands';
import { distinct } from '@/lib/redis/distinct';
import { isWrongType } from '@/lib/redis/failure';
import { readScript } from '@/lib/redis/read-script';
import { beginOf, entryOf, indexKeyOf, type SessionKey } from './keys';
import { readOwn } from './owners';
import { storageOf } from './storage';

/** One page of a user's index. */
export interface IndexPage {
  entries: SessionKey[];
  examined: number;
  /** `0` after the last. */
  next: string;
}

/** The command that checks whether its index contains a session. */
export const membershipOf = ({ storage, index, member }: SessionKey): ReadCommand =>
  storage.index?.type === 'zset' ? ['ZSCORE', index!, member] : ['SISMEMBER', index!, member];

export const isMember = (reply: unknown): boolean => reply === 1 || Buffer.isBuffer(reply);

/** The number of entries of a user's index; 0 where there is none, or the key has another type. */
export const readIndexSize = async (ctx: ReadContext, userId: string): Promise<number> => {
  const index = indexKeyOf(ctx, userId);
  if (!index) return 0;
  const size = storageOf(ctx).index?.type === 'zset' ? 'ZCARD' : 'SCARD';
  const [entries] = await ctx.reader.readMany([[size, index]]);
  return typeof entries === 'number' ? entries : 0;
};

const EMPTY: IndexPage = { entries: [], examined: 0, next: '0' };

const entriesOf = (ctx: ReadContext, userId: string, members: readonly Buffer[]): SessionKey[] =>
  members.map((member) => entryOf(ctx, userId, member)).filter((entry) => entry !== null);

/** One page of all entries; an index of the wrong type has none. SSCAN may return an entry twice. */
export const readIndexPage = async (
  ctx: ReadContext,
  userId: string,
  cursor: string,
  count: number,
): Promise<IndexPage> => {
  const index = indexKeyOf(ctx, userId);
  if (!index) return EMPTY;
  const isSorted = storageOf(ctx).index?.type === 'zset';
  try {
    const page = await ctx.reader.scanCollection(isSorted ? 'ZSCAN' : 'SSCAN', index, cursor, { count });
    // ZSCAN alternates members and scores.
    const members = isSorted ? page.elements.filter((_, i) => i % 2 === 0) : page.elements;
    return { entries: entriesOf(ctx, userId, members), examined: members.length, next: page.cursor };
  } catch (error) {
    if (!isWrongType(error)) throw error;
    return EMPTY;
  }
};

/** Entries of one page whose session does not exist, or belongs to another user. */
export const readStalePage = async (
  ctx: ReadContext,
  userId: string,
  cursor: string,
  count: number,
): Promise<IndexPage> => {
  const storage = storageOf(ctx);
  // In a cluster the sessions may be on other nodes.
  const isTogether = ctx.connection.topology.kind !== 'cluster';
  const mayScript = storage.classic && storage.index && isTogether;
  const byScript = mayScript ? await staleByScript(ctx, userId, cursor, count) : null;
  if (byScript) return byScript;
  const page = await readIndexPage(ctx, userId, cursor, count);
  if (storage.userParam === null) {
    const values = await readOwn(ctx, page.entries);
    return { ...page, entries: page.entries.filter((_, i) => values[i] === null) };
  }
  const there: readonly unknown[] = await ctx.reader.readMany(
    page.entries.map(({ key }): ReadCommand => ['EXISTS', key]),
  );
  return { ...page, entries: page.entries.filter((_, i) => there[i] === 0) };
};

/** Null where the server has no read-only scripts. */
const staleByScript = async (
  ctx: ReadContext,
  userId: string,
  cursor: string,
  count: number,
): Promise<IndexPage | null> => {
  const args = [cursor, count, beginOf(ctx, userId)];
  const index = indexKeyOf(ctx, userId)!;
  const reply = await readScript(ctx.connection, 'stale-entries', [index], args, 'scan');
  if (!reply) return null;
  const [next, examined, ...tokens] = reply as [Buffer, number, ...Buffer[]];
  return { entries: entriesOf(ctx, userId, tokens), examined, next: next.toString('latin1') };
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
      const entries = pages[i]!.entries.filter(({ member }) => isNew(member));
      if (entries.length > 0) yield entries;
    }
    const unfinished = some
      .map((index, i) => ({ ...index, cursor: pages[i]!.next }))
      .filter(({ cursor }) => cursor !== '0');
    open = [...unfinished, ...open.slice(PARALLEL_INDEXES)];
  }
}
