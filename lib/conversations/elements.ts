import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { fallbackFor } from '@/lib/errors';
import type { Cut } from '@/lib/key-values/etag';
import { rangeOfElements } from '@/lib/key-values/raw-elements';
import { digest } from '@/lib/keyring';
import { isWrongType } from '@/lib/redis/failure';
import type { Source } from './sources';

type Context = Pick<ReadContext, 'connection' | 'reader'>;

/** A source whose newest end is known. */
export interface OrderedSource extends Source {
  newest: 'head' | 'tail';
}

/** An element of a list or a sorted set. */
export interface Element {
  source: OrderedSource;
  /** Elements that are older: it does not change when newer ones arrive, at whichever end. */
  place: number;
  text: Cut;
  /** For a sorted set, in Redis' notation. */
  score: string | null;
}

const MAX_READ = 1000;

const readRange = (ctx: Context, { key, type }: Source, from: number, count: number) =>
  rangeOfElements(ctx, key, type === 'list' ? 'LRANGE' : 'ZRANGE', from, count).catch(
    fallbackFor(isWrongType, []),
  );

/**
 * Elements from a place to older ones, newest first. Fewer are returned only if there are no more, if they are too long for
 * one call, or if the collection has become shorter: what is missing then are the newest.
 */
export const readPlaces = async (
  ctx: Context,
  source: OrderedSource,
  from: number,
  wanted: number,
): Promise<Element[]> => {
  const count = Math.min(wanted, from + 1, source.atOnce, MAX_READ);
  if (count <= 0) return [];
  const oldest = from - count + 1;
  // Counted from the end where no new messages arrive, so that the place stays the same.
  const isTail = source.newest === 'tail';
  const found = await readRange(ctx, source, isTail ? oldest : -(from + 1), count);
  const newestFirst = isTail ? found.reverse() : found;
  return newestFirst.map(([text, score], i) => ({
    source,
    place: oldest + newestFirst.length - 1 - i,
    text: text!,
    score: score?.bytes.toString('latin1') ?? null,
  }));
};

const MARK_LENGTH = 10;

const framed = ({ bytes, length }: Cut): Buffer => Buffer.concat([Buffer.from(`${length}:`), bytes]);

/** The bytes that identify an element with its content. */
export const elementBytes = ({ source: { key }, text, score }: Element): Buffer =>
  Buffer.concat([framed({ bytes: key, length: key.length }), framed(text), Buffer.from(score ?? '')]);

/** A short digest of an element, for cursors. */
export const markOf = (element: Element): string => digest('cursor', elementBytes(element), MARK_LENGTH);

/** Lists may have been trimmed, and elements deleted, by so many places. */
export const MAX_MOVED = 200;

/** Elements near a place, as far as it may have moved; fewer where they are long. */
export const readNear = (ctx: Context, source: OrderedSource, place: number): Promise<Element[]> => {
  const moved = Math.min(MAX_MOVED, Math.floor((source.atOnce - 1) / 2));
  return readPlaces(ctx, source, place + moved, 2 * moved + 1);
};

/** Finds an element near the place where it was: the nearest that `isIt` accepts. */
export const findNear = async <E extends Element>(
  ctx: Context,
  source: OrderedSource,
  place: number,
  load: (elements: readonly Element[]) => Promise<readonly E[]>,
  isIt: (element: E) => boolean,
): Promise<E | null> => {
  const near = await load(await readNear(ctx, source, place));
  const distance = (element: E) => Math.abs(element.place - place);
  return near.filter(isIt).sort((a, b) => distance(a) - distance(b))[0] ?? null;
};
