import 'server-only';
import { createHash } from 'node:crypto';
import type { ReadContext } from '@/lib/command/context';
import { fallbackFor } from '@/lib/errors';
import { type Cut, cutOf } from '@/lib/key-values/etag';
import { rangeOfElements, scanElements } from '@/lib/key-values/raw-elements';
import type { Key } from '@/lib/redis/commands';
import { distinct } from '@/lib/redis/distinct';
import { isWrongType } from '@/lib/redis/failure';
import type { PacedCalls } from './check-reader';
import { countAtOnce, memberPage } from './members';

/** `reader` paces its calls, `direct` does not: it is for work inside a paced call. */
export interface MemberContext extends Pick<ReadContext, 'connection' | 'catalog' | 'actor'> {
  reader: ReadContext['reader'];
  calls: PacedCalls;
}

const PAGE = 100;
/** Elements per page: arrays are parsed again for each page. */
const ARRAY_PAGE = 999;
/** A page read by a script costs as much as this many commands. */
const PAGE_WEIGHT = 50;
const MAX_REMEMBERED_BYTES = 32;

/** A short name for bytes of any length, for collections that remember many. */
export const shortName = (bytes: Buffer): Buffer =>
  bytes.length <= MAX_REMEMBERED_BYTES ? bytes : createHash('sha256').update(bytes).digest();

const wholeSet = async ({ reader }: MemberContext, key: Key): Promise<Buffer[]> => {
  const members = new Map<string, Buffer>();
  let cursor = '0';
  do {
    const page = await reader.scanCollection('SSCAN', key, cursor, { count: PAGE });
    for (const member of page.elements) members.set(member.toString('latin1'), member);
    cursor = page.cursor;
  } while (cursor !== '0');
  return [...members.values()];
};

const readAll = async (ctx: MemberContext, key: Key, type: string): Promise<Cut[]> => {
  if (type === 'set') return (await wholeSet(ctx, key)).map(cutOf);
  if (type === 'list') return (await ctx.reader.range('LRANGE', key, 0, PAGE)).map(cutOf);
  if (type === 'string') return (await memberPage(ctx, key, type, { limit: ARRAY_PAGE })).members;
  const members = await ctx.reader.range('ZRANGE', key, 0, PAGE);
  return members.filter((_, i) => i % 2 === 0).map(cutOf);
};

/** All members of a small collection, at most a hundred short ones; none of a key replaced since its type was read. */
export const allMembers = (ctx: MemberContext, key: Key, type: string): Promise<Cut[]> =>
  readAll(ctx, key, type).catch(fallbackFor(isWrongType, []));

async function* arrayPages(ctx: MemberContext, key: Key): AsyncGenerator<Cut[]> {
  let cursor: string | undefined;
  do {
    const { members, next } = await memberPage(ctx, key, 'string', { cursor, limit: ARRAY_PAGE });
    yield members;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
}

const firstParts = (elements: readonly Cut[][]): Cut[] => elements.map(([member]) => member!);

async function* setPages(ctx: MemberContext, key: Key, each: number): AsyncGenerator<Cut[]> {
  const direct = { connection: ctx.connection, reader: ctx.connection.background };
  let cursor = '0';
  do {
    const at = cursor;
    const page = await ctx.calls.run(key, PAGE_WEIGHT, () => scanElements(direct, key, 'SSCAN', at, each));
    yield firstParts(page.elements);
    cursor = page.cursor;
  } while (cursor !== '0');
}

async function* rangePages(
  ctx: MemberContext,
  key: Key,
  how: 'LRANGE' | 'ZRANGE',
  each: number,
): AsyncGenerator<Cut[]> {
  const direct = { connection: ctx.connection, reader: ctx.connection.background };
  for (let from = 0; ; from += each) {
    const at = from;
    const page = await ctx.calls.run(key, PAGE_WEIGHT, () => rangeOfElements(direct, key, how, at, each));
    yield firstParts(page);
    if (page.length < each) return;
  }
}

async function* pagesOf(ctx: MemberContext, key: Key, type: string): AsyncGenerator<Cut[]> {
  if (type === 'string') return yield* arrayPages(ctx, key);
  if (type !== 'set' && type !== 'list' && type !== 'zset') return;
  const perPage = Math.min(PAGE, await countAtOnce(ctx, key, type));
  if (type === 'set') yield* setPages(ctx, key, perPage);
  else yield* rangePages(ctx, key, type === 'list' ? 'LRANGE' : 'ZRANGE', perPage);
}

/**
 * Members of a collection of any size, page by page; at most 8 KiB of a long member. Members of sets and sorted sets
 * occur once, although a page may repeat them.
 */
export async function* memberPages(ctx: MemberContext, key: Key, type: string): AsyncGenerator<Cut[]> {
  const isNew = distinct();
  const isUnique = type === 'set' || type === 'zset';
  try {
    for await (const page of pagesOf(ctx, key, type))
      yield page.filter(({ bytes, length }) => !isUnique || bytes.length < length || isNew(shortName(bytes)));
  } catch (error) {
    if (!isWrongType(error)) throw error;
  }
}
