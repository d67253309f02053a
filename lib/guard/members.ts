import 'server-only';
import { displayKey, escapeGlob } from '@/lib/catalog/display';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { notFound, Problem } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import { isWrongType } from '@/lib/redis/failure';
import { type Chunk, type FilledPage, fillPage } from '@/lib/redis/page';
import { isServerCursor } from '@/lib/redis/scan';
import { connectedProcess } from '@/lib/redis/server-process';

/** The two sets that people fill and the collector reads (003). Their names come from the configuration. */
export type GuardSet = 'hawk.disabled-projects' | 'hawk.blacklist-ips';

/** 404 where the connection's apps have no error collector. */
export const setKey = (ctx: ReadContext, set: GuardSet): Key => {
  const family = ctx.catalog.get(set);
  if (!family) throw notFound(`An error collector on connection "${ctx.connection.config.id}"`);
  return family.key();
};

/** A key that is no set is told as such (409), whoever made it. */
const onSet = async <T>(ctx: ReadContext, key: Key, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!isWrongType(error)) throw error;
    const name = displayKey(key, ctx.catalog);
    throw new Problem(
      'conflict',
      `The key ${name} is not a set: the collector cannot read it. Look at the key and remove it.`,
      { cause: error },
    );
  }
};

const PAGE_MS = 250;
const COUNT = 150;
/** What does not fit a search costs less; were more to fit, a cursor could not hold their marks (`fillPage`). */
const COUNT_SEARCHED = 250;

export interface MembersFilter {
  q?: string;
  cursor?: string;
  limit: number;
}

/** A member of exactly these texts, each asked for by name: it need not be found by going through the set. */
const namedMembers = async (ctx: ReadContext, key: Key, texts: readonly string[]): Promise<Buffer[]> => {
  const members = texts.map((text) => Buffer.from(text));
  const there = await haveMembers(ctx, key, members);
  return members.filter((_, i) => there[i]);
};

/**
 * A page of a set, never the whole; `show` says what to show for its members. A search asks first for the member that
 * is exactly the text; `whole` says that a text can be no part of any other member, so that there is no need to go on.
 */
export const readMembers = async <T>(
  ctx: ReadContext,
  key: Key,
  { q = '', cursor, limit }: MembersFilter,
  show: (members: Buffer[]) => Promise<T[]>,
  whole: (text: string) => string[] | null = () => null,
): Promise<FilledPage<T>> => {
  const spellings = whole(q);
  if (spellings && cursor === undefined) {
    const named = await namedMembers(ctx, key, spellings);
    return { items: await show(named), nextCursor: null, examined: named.length };
  }
  const match = q === '' ? undefined : `*${escapeGlob(q)}*`;
  const count = match === undefined ? COUNT : COUNT_SEARCHED;
  async function* chunks(from: string): AsyncGenerator<Chunk> {
    let at: string | null = from;
    while (at !== null) {
      const page = await ctx.reader.scanCollection('SSCAN', key, at, { count, match });
      at = page.cursor === '0' ? null : page.cursor;
      yield { elements: page.elements, cursor: at };
    }
  }
  const first = q !== '' && cursor === undefined ? await namedMembers(ctx, key, [q]) : [];
  // It came first, on the first page.
  const isFirst = (member: Buffer): boolean => q !== '' && member.equals(Buffer.from(q));
  const read = async (members: Buffer[]): Promise<(T | null)[]> => {
    const others = members.filter((member) => !isFirst(member));
    const shown = await show(others);
    return members.map((member) => (isFirst(member) ? null : shown.shift()!));
  };
  const room = limit - first.length;
  const servedBy = () => connectedProcess(ctx.connection);
  const request = {
    cursor,
    limit: room,
    withinMs: PAGE_MS,
    first: '0',
    isServerCursor,
    servedBy,
    chunks,
    read,
  };
  const page = await onSet(ctx, key, () => fillPage(request));
  return { ...page, items: [...(await show(first)), ...page.items] };
};

export const countMembers = (ctx: ReadContext, key: Key): Promise<number> =>
  onSet(ctx, key, () => ctx.reader.read(['SCARD', key]));

const BATCH_SIZE = 1000;

/** Of each member, in order, whether it is there. */
export const haveMembers = (ctx: ReadContext, key: Key, members: readonly Buffer[]): Promise<boolean[]> =>
  onSet(ctx, key, async () => {
    const there: boolean[] = [];
    for (let from = 0; from < members.length; from += BATCH_SIZE) {
      const slice = members.slice(from, from + BATCH_SIZE);
      const flags = await ctx.reader.read(['SMISMEMBER', key, ...slice]);
      for (const flag of flags) there.push(flag === 1);
    }
    return there;
  });

const change = (
  ctx: WriteContext,
  name: 'SADD' | 'SREM',
  key: Key,
  members: readonly Buffer[],
): Promise<boolean[]> =>
  onSet(ctx, key, async () => {
    const replies = await ctx.writer.writeMany(members.map((member) => [name, key, member] as const));
    return replies.map((reply) => reply === 1);
  });

/** Of each member, in order, whether it was not there before. */
export const addMembers = (ctx: WriteContext, key: Key, members: readonly Buffer[]): Promise<boolean[]> =>
  change(ctx, 'SADD', key, members);

/** Of each member, in order, whether it was there. */
export const removeMembers = (ctx: WriteContext, key: Key, members: readonly Buffer[]): Promise<boolean[]> =>
  change(ctx, 'SREM', key, members);
