import 'server-only';
import { displayKey, escapeGlob } from '@/lib/catalog/display';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { notFound, Problem } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import { isWrongType } from '@/lib/redis/failure';
import { type Chunk, type FilledPage, fillPage } from '@/lib/redis/page';
import { isServerCursor } from '@/lib/redis/scan';

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

export interface MembersFilter {
  q?: string;
  cursor?: string;
  limit: number;
}

/** A page of a set, never the whole; `show` says what to show for its members. */
export const readMembers = <T>(
  ctx: ReadContext,
  key: Key,
  { q, cursor, limit }: MembersFilter,
  show: (members: Buffer[]) => Promise<T[]>,
): Promise<FilledPage<T>> => {
  const match = q === undefined || q === '' ? undefined : `*${escapeGlob(q)}*`;
  async function* chunks(from: string): AsyncGenerator<Chunk> {
    let at: string | null = from;
    while (at !== null) {
      const page = await ctx.reader.scanCollection('SSCAN', key, at, { count: COUNT, match });
      at = page.cursor === '0' ? null : page.cursor;
      yield { elements: page.elements, cursor: at };
    }
  }
  const request = { cursor, limit, withinMs: PAGE_MS, first: '0', isServerCursor, chunks, read: show };
  return onSet(ctx, key, () => fillPage(request));
};

export const countMembers = (ctx: ReadContext, key: Key): Promise<number> =>
  onSet(ctx, key, () => ctx.reader.read(['SCARD', key]));

const AT_ONCE = 1000;

const change = (
  ctx: WriteContext,
  name: 'SADD' | 'SREM',
  key: Key,
  members: readonly Buffer[],
): Promise<boolean[]> =>
  onSet(ctx, key, async () => {
    const done: boolean[] = [];
    for (let from = 0; from < members.length; from += AT_ONCE) {
      const slice = members.slice(from, from + AT_ONCE);
      const replies = await ctx.writer.writeMany(slice.map((member) => [name, key, member] as const));
      for (const reply of replies) done.push(reply === 1);
    }
    return done;
  });

/** Of each member, in order, whether it was not there before. */
export const addMembers = (ctx: WriteContext, key: Key, members: readonly Buffer[]): Promise<boolean[]> =>
  change(ctx, 'SADD', key, members);

/** Of each member, in order, whether it was there. */
export const removeMembers = (ctx: WriteContext, key: Key, members: readonly Buffer[]): Promise<boolean[]> =>
  change(ctx, 'SREM', key, members);
