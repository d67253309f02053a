import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { elementIndex, elementPage } from '@/lib/key-values/element-page';
import { MAX_ELEMENT_BYTES } from '@/lib/key-values/etag';
import { type RawElement, rangeOfElements } from '@/lib/key-values/raw-elements';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import { isWrongType } from '@/lib/redis/failure';
import { cursorExpired } from '@/lib/redis/server-process';
import { UNREADABLE } from '@/lib/values/string-value';
import { elementsAtOnce } from './elements-at-once';
import { jsonArray, memberText } from './json-members';

type Context = Pick<ReadContext, 'connection' | 'reader' | 'signal'>;

export interface Shape {
  /** The stored type: `none` where the key does not exist, `unreadable` where our user may not read it. */
  type: string;
  /** Number of members, or fields of a hash. Null where they cannot be counted. */
  count: number | null;
  /** Why it has no members: a hash, text, or a JSON array that is too long. */
  fault: 'wrongType' | 'unreadable' | null;
}

export interface Member {
  /** At most 8 KiB of the member. */
  bytes: Buffer;
  /** The length of the complete member. */
  length: number;
  /** For a sorted set, in Redis' notation. */
  score: string | null;
}

interface MemberPage {
  members: Member[];
  next: string | null;
}

/** Longer JSON arrays are not parsed. */
const MAX_JSON_BYTES = 256 * 1024;
/** Bytes of JSON arrays in memory at once. */
const MAX_JSON_BATCH_BYTES = 2 * 2 ** 20;
const MAX_PAGE = 1000;

const COUNTS = { set: 'SCARD', zset: 'ZCARD', list: 'LLEN', hash: 'HLEN', string: 'STRLEN' } as const;
type Counted = keyof typeof COUNTS;

const isCounted = (type: string): type is Counted => Object.hasOwn(COUNTS, type);

/** Groups strings that may be in memory together. */
const groupsOf = <T extends { bytes: number }>(strings: readonly T[]): T[][] => {
  const groups: T[][] = [];
  let size = Infinity;
  for (const one of strings) {
    if (size + one.bytes > MAX_JSON_BATCH_BYTES) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)!.push(one);
    size += one.bytes;
  }
  return groups;
};

const countArrays = async (
  { reader }: Pick<Context, 'reader'>,
  strings: readonly { key: Key; shape: Shape; bytes: number }[],
): Promise<void> => {
  for (const group of groupsOf(strings)) {
    const values = await reader.getStrings(
      group.map(({ key }) => key),
      MAX_JSON_BYTES,
    );
    for (const [i, { shape }] of group.entries()) {
      const value = values[i];
      const isWhole = value && !(value instanceof Error) && value.bytes.length === value.length;
      const members = isWhole ? jsonArray(value.bytes) : null;
      shape.count = members?.length ?? null;
      shape.fault = members ? null : isWhole ? 'wrongType' : 'unreadable';
    }
  }
};

/** The types of keys and their numbers of members, in order, in three round trips. Never throws for a single key. */
export const readShapes = async (
  { reader }: Pick<Context, 'reader'>,
  keys: readonly Key[],
): Promise<Shape[]> => {
  const types = await reader.readMany(keys.map((key) => ['TYPE', key] as const));
  const shapes = types.map(
    (type): Shape =>
      type instanceof Error
        ? { type: UNREADABLE, count: null, fault: 'unreadable' }
        : { type, count: type === 'none' ? 0 : null, fault: null },
  );
  const counted = shapes.flatMap((shape, i) =>
    isCounted(shape.type) ? [{ key: keys[i]!, shape, command: COUNTS[shape.type] }] : [],
  );
  const counts: readonly unknown[] = await reader.readMany(
    counted.map(({ key, command }): ReadCommand => [command, key]),
  );
  const strings: { key: Key; shape: Shape; bytes: number }[] = [];
  for (const [i, { key, shape }] of counted.entries()) {
    const count = counts[i];
    if (typeof count !== 'number') shape.fault = 'unreadable';
    else if (shape.type !== 'string') shape.count = count;
    else if (count > MAX_JSON_BYTES) shape.fault = 'unreadable';
    else strings.push({ key, shape, bytes: count });
  }
  await countArrays({ reader }, strings);
  for (const shape of shapes)
    if (shape.type === 'hash' || (!isCounted(shape.type) && !['none', UNREADABLE].includes(shape.type)))
      shape.fault = 'wrongType';
  return shapes;
};

const memberOf = ([name, score]: RawElement): Member => ({
  bytes: name!.bytes,
  length: name!.length,
  score: score?.bytes.toString('latin1') ?? null,
});

interface PageOptions {
  cursor?: string | undefined;
  limit: number;
}

const byIndex = async (ctx: Context, key: Key, how: 'LRANGE' | 'ZRANGE', place: string, limit: number) => {
  const from = elementIndex(place);
  // One additional element shows whether there is a next page.
  const elements = await rangeOfElements(ctx, key, how, from, limit + 1);
  const members = elements.slice(0, limit).map(memberOf);
  return { members, next: elements.length > limit ? `${from + limit}` : null };
};

const fromArray = async ({ reader }: Context, key: Key, place: string, limit: number) => {
  const from = elementIndex(place);
  const value = await reader.getString(key, MAX_JSON_BYTES);
  const elements = (value && value.bytes.length === value.length && jsonArray(value.bytes)) || [];
  const members = elements.slice(from, from + limit).map((element) => {
    const bytes = Buffer.from(memberText(element));
    return { bytes: bytes.subarray(0, MAX_ELEMENT_BYTES), length: bytes.length, score: null };
  });
  return { members, next: from + limit < elements.length ? `${from + limit}` : null };
};

const NOTHING: MemberPage = { members: [], next: null };

/** How many members of a collection one call may read. */
export const countAtOnce = async (
  ctx: Pick<Context, 'reader'>,
  key: Key,
  type: Exclude<Counted, 'hash' | 'string'>,
): Promise<number> => {
  const length = await ctx.reader.read([COUNTS[type], key]);
  return (await elementsAtOnce(ctx, [{ key, length }]))[0]!;
};

const readPage = async (
  ctx: Context,
  key: Key,
  type: Exclude<Counted, 'hash'>,
  [place, limit]: [string | undefined, number],
): Promise<MemberPage> => {
  if (type === 'string') return fromArray(ctx, key, place ?? '0', limit);
  const atOnce = Math.min(limit, await countAtOnce(ctx, key, type));
  if (type === 'list') return byIndex(ctx, key, 'LRANGE', place ?? '0', atOnce);
  if (type === 'zset') return byIndex(ctx, key, 'ZRANGE', place ?? '0', atOnce);
  const page = await elementPage(ctx, key, 'SSCAN', { cursor: place, limit, count: atOnce });
  return { members: page.items.map(memberOf), next: page.nextCursor };
};

/**
 * A page of the members of a set, a sorted set, a list, or a JSON array in a string; other types have none. Throws 410
 * for a cursor of another type or server process.
 */
export const memberPage = async (
  ctx: Context,
  key: Key,
  type: string,
  { cursor, limit }: PageOptions,
): Promise<MemberPage> => {
  if (cursor !== undefined && !cursor.startsWith(`${type}.`)) throw cursorExpired();
  if (!isCounted(type) || type === 'hash') return NOTHING;
  const place = cursor?.slice(type.length + 1);
  try {
    const { members, next } = await readPage(ctx, key, type, [place, Math.min(limit, MAX_PAGE - 1)]);
    return { members, next: next === null ? null : `${type}.${next}` };
  } catch (error) {
    if (!isWrongType(error)) throw error;
    if (cursor !== undefined) throw cursorExpired();
    return NOTHING;
  }
};
