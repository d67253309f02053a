import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { digest } from '@/lib/keyring';
import type { Key } from '@/lib/redis/commands';
import { type KeyState, readKeyState } from './key-state';

type Context = Pick<ReadContext, 'connection'>;

const frame = (bytes: Uint8Array): Buffer => Buffer.concat([Buffer.from(`${bytes.length}:`), bytes]);

/**
 * Identifies a key with its content: type and all elements up to 1 MiB and 1000 elements, type and length beyond. The
 * TTL is not part of it. Equal values of two keys have different etags.
 */
export const etagOf = (
  { connection }: Context,
  key: Key,
  { type, length, digest: content }: KeyState,
): string =>
  digest(
    'etag',
    Buffer.concat([
      Buffer.from(`${connection.config.id}\0`),
      frame(key),
      Buffer.from(`${type}\0${length}\0${content}`),
    ]),
    27,
  );

/** The etag of a key as it is now; null when it does not exist. */
export const readEtag = async (
  ctx: Pick<ReadContext, 'connection' | 'reader'>,
  key: Key,
): Promise<string | null> => {
  const state = await readKeyState(ctx, key);
  return state && etagOf(ctx, key, state);
};

/** Bytes of an element that are read; the rest of a longer one stays on the server. */
export const MAX_ELEMENT_BYTES = 8192;

/** A part of an element, perhaps cut; `length` is that of the complete part. */
export interface Cut {
  bytes: Buffer;
  length: number;
}

export const cutOf = (bytes: Buffer): Cut => ({
  bytes: bytes.subarray(0, MAX_ELEMENT_BYTES),
  length: bytes.length,
});

/** What an element's id covers. Entries of a stream cannot change: their id is enough. */
export type ElementParts =
  | { index: number; value: Cut }
  | { field: Cut; value: Cut }
  | { member: Cut; score?: string }
  | { entryId: string };

/** Commands write the same score differently. */
const scoreOf = (score: string): number => Number(score.replace(/inf$/i, 'Infinity'));

const framesOf = (element: ElementParts): (Cut | string)[] => {
  if ('entryId' in element) return ['entry', element.entryId];
  if ('index' in element) return ['index', `${element.index}`, element.value];
  if ('field' in element) return ['field', element.field, element.value];
  return ['member', element.member, element.score === undefined ? '' : `${scoreOf(element.score)}`];
};

/**
 * The id of an element with its content: another value, position or score gives another id. Reveals nothing of it. A part
 * over 8 KiB counts by its beginning and length.
 */
export const elementIdOf = ({ connection }: Context, key: Key, element: ElementParts): string => {
  const parts = framesOf(element).flatMap((part) =>
    typeof part === 'string'
      ? [frame(Buffer.from(part))]
      : [Buffer.from(`${part.length}/`), frame(part.bytes.subarray(0, MAX_ELEMENT_BYTES))],
  );
  const own = [Buffer.from(`element\0${connection.config.id}\0`), frame(key)];
  return digest('etag', Buffer.concat([...own, ...parts]), 27);
};
