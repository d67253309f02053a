import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { notFound, Problem } from '@/lib/errors';
import { displayKey, escapeGlob } from '@/lib/keyspace/display';
import type { Key } from '@/lib/redis/commands';
import { isWrongType } from '@/lib/redis/failure';
import { type Chunk, type FilledPage, fillPage } from '@/lib/redis/page';
import { isServerCursor } from '@/lib/redis/scan-nodes';
import { connectedProcess } from '@/lib/redis/server-process';

/** The two sets that people fill and an application reads. */
export type GuardSet = 'block-list' | 'ban-list';

const SETS: Record<GuardSet, string> = { 'block-list': 'A block list', 'ban-list': 'A ban list' };

/** 404 where the connection's catalog has no such set. */
export const setKey = (ctx: ReadContext, set: GuardSet): Key => {
  const family = ctx.catalog.role(set);
  if (!family) throw notFound(`${SETS[set]} on connection "${ctx.connection.config.id}"`);
  return family.key();
};

/** Turns a wrong type into a 409 that names the key. */
const onSet = async <T>(ctx: ReadContext, key: Key, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!isWrongType(error)) throw error;
    const name = displayKey(key, ctx.catalog);
    throw new Problem(
      'conflict',
      `The key ${name} is not a set: the collector cannot read it. Check the key and delete it.`,
      { cause: error },
    );
  }
};

const PAGE_MS = 250;
const COUNT = 150;
/** Members that do not match a search are not sent, so a search may examine more per call. A cursor bounds it (`fillPage`). */
const SEARCH_COUNT = 250;

export interface MembersFilter {
  q?: string;
  cursor?: string;
  limit: number;
}

/** Those of these texts that are members (SMISMEMBER instead of a scan). */
const findMembers = async (ctx: ReadContext, key: Key, texts: readonly string[]): Promise<Buffer[]> => {
  const members = texts.map((text) => Buffer.from(text));
  const isMember = await areMembers(ctx, key, members);
  return members.filter((_, i) => isMember[i]);
};

/**
 * One page of a set. `show` turns members into rows. A search first looks up the member that equals the text; `exact`
 * answers the spellings of a text that cannot be part of any other member, so no scan is needed.
 */
export const readMembers = async <T>(
  ctx: ReadContext,
  key: Key,
  { q = '', cursor, limit }: MembersFilter,
  show: (members: Buffer[]) => Promise<T[]>,
  exact: (text: string) => string[] | null = () => null,
): Promise<FilledPage<T>> => {
  const spellings = exact(q);
  if (spellings && cursor === undefined) {
    const named = await findMembers(ctx, key, spellings);
    return { items: await show(named), nextCursor: null, examined: named.length };
  }
  const match = q === '' ? undefined : `*${escapeGlob(q)}*`;
  const count = match === undefined ? COUNT : SEARCH_COUNT;
  async function* chunks(from: string): AsyncGenerator<Chunk> {
    let at: string | null = from;
    while (at !== null) {
      const page = await ctx.reader.scanCollection('SSCAN', key, at, { count, match });
      at = page.cursor === '0' ? null : page.cursor;
      yield { elements: page.elements, cursor: at };
    }
  }
  const first = q !== '' && cursor === undefined ? await findMembers(ctx, key, [q]) : [];
  // The first page has it already.
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

/** For each member, in order, whether it is in the set. */
export const areMembers = (ctx: ReadContext, key: Key, members: readonly Buffer[]): Promise<boolean[]> =>
  onSet(ctx, key, async () => {
    const found: boolean[] = [];
    for (let from = 0; from < members.length; from += BATCH_SIZE) {
      const slice = members.slice(from, from + BATCH_SIZE);
      const flags = await ctx.reader.read(['SMISMEMBER', key, ...slice]);
      for (const flag of flags) found.push(flag === 1);
    }
    return found;
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

/** For each member, in order, whether it was added. */
export const addMembers = (ctx: WriteContext, key: Key, members: readonly Buffer[]): Promise<boolean[]> =>
  change(ctx, 'SADD', key, members);

/** For each member, in order, whether it was removed. */
export const removeMembers = (ctx: WriteContext, key: Key, members: readonly Buffer[]): Promise<boolean[]> =>
  change(ctx, 'SREM', key, members);
