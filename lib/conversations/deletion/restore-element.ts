import 'server-only';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson, Undone } from '@/lib/command/define';
import { fallbackFor } from '@/lib/errors';
import { rangeOfElements } from '@/lib/key-values/raw-elements';
import { storeCall, undoByCall } from '@/lib/key-values/stored-call';
import { isWrongType } from '@/lib/redis/failure';
import { MAX_MOVED, type OrderedSource } from '../elements';

/** What of a stored call says where an element was in its list. */
const insertion = z.looseObject({ key: z.string(), type: z.string(), args: z.array(z.string()) });

/** Where an element was: the digests of its neighbours, '' at an end. */
interface Insertion {
  key: Buffer;
  index: number;
  value: Buffer;
  marker: Buffer;
  left: string;
  right: string;
  /** The length of the list without the element. */
  length: number;
}

const insertionOf = (stored: AuditJson): Insertion => {
  const { key, args } = insertion.parse(stored);
  const [index, value, marker, left, right, length] = args.map((arg) => Buffer.from(arg, 'base64'));
  return {
    key: Buffer.from(key, 'base64'),
    value: value!,
    marker: marker!,
    index: Number(index),
    length: Number(length),
    left: `${left}`,
    right: `${right}`,
  };
};

/** A digest as the script makes it; null for an element of which only the beginning was read. */
type Digest = string | null;

const digestsAround = async (ctx: WriteContext, key: Buffer, from: number): Promise<Digest[]> => {
  const around = rangeOfElements(ctx, key, 'LRANGE', from, 2 * MAX_MOVED + 2);
  const found = await around.catch(fallbackFor(isWrongType, []));
  return found.map(([text]) =>
    text!.bytes.length === text!.length ? createHash('sha1').update(text!.bytes).digest('hex') : null,
  );
};

/** The same place in the list as it is now, which new messages and a trimmed end have moved; null where it is gone. */
const placeNow = async (
  ctx: WriteContext,
  { key, index, left, right, length }: Insertion,
  newest: OrderedSource['newest'],
): Promise<{ index: number; left: string; right: string; length: number } | null> => {
  const now = await ctx.reader.read(['LLEN', key]).catch(fallbackFor(isWrongType, 0));
  if (now === 0 || length === 0) return null;
  const expected = newest === 'tail' ? index : now - (length - index);
  const from = Math.max(0, expected - MAX_MOVED - 1);
  const digests = await digestsAround(ctx, key, from);
  const at = (place: number): Digest => (place < 0 || place >= now ? '' : (digests[place - from] ?? null));
  // At the end where messages arrive, what follows the place now was not there.
  const fits = (place: number): boolean =>
    (at(place - 1) === left || (left === '' && newest === 'head')) &&
    (at(place) === right || (right === '' && newest === 'tail'));
  const places = Array.from({ length: digests.length + 1 }, (_, i) => from + i)
    .filter((place) => fits(place) && at(place - 1) !== null && at(place) !== null)
    .sort((a, b) => Math.abs(a - expected) - Math.abs(b - expected));
  const [place] = places;
  if (place === undefined) return null;
  return { index: place, left: at(place - 1)!, right: at(place)!, length: now };
};

/** New messages may arrive between the look and the change. */
const MAX_ATTEMPTS = 5;

/** Puts an element back where it was, or between the messages that it was between. A conflict where those are gone. */
export const restoreElement = async (
  ctx: WriteContext,
  call: AuditJson,
  newest: OrderedSource['newest'] | null,
): Promise<Undone> => {
  let done = await undoByCall(ctx, call);
  if (newest === null || done.undone > 0 || insertion.parse(call).type !== 'list') return done;
  const was = insertionOf(call);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS && done.undone === 0; attempt++) {
    const place = await placeNow(ctx, was, newest);
    if (!place) return done;
    const { index, left, right, length } = place;
    const args = [index, was.value, was.marker, left, right, length];
    const insert = { key: was.key, edit: 'insertAt', type: 'list', content: '', expires: -1, args };
    done = await undoByCall(ctx, storeCall(insert));
  }
  return done;
};
