import 'server-only';
import { readGroups, waitingIn } from '@/lib/key-values/stream-groups';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { readScript } from '@/lib/redis/read-script';
import type { Place, Sample } from './flow';
import type { End } from './schema';

/** Elements searched at each end of a list for the remembered one. */
const MAX_SEARCHED = 1000;
/** A longer element is not remembered. */
const MAX_MARK_BYTES = 4096;
/** If a queue's elements are larger, only its length is read. */
const MAX_MEAN_BYTES = 64 * 1024;

/** The elements at the ends of a list; null where there is none that can be found again. */
export type Marks = Record<End, Buffer | null>;

export const NO_MARKS: Marks = { head: null, tail: null };
const NO_PLACES: Record<End, Place> = { head: null, tail: null };

/** The commands that count the elements of a queue. */
export const LENGTHS = { list: 'LLEN', zset: 'ZCARD', stream: 'XLEN' } as const;

export type QueueType = keyof typeof LENGTHS;

export const isQueueType = (type: string): type is QueueType => Object.hasOwn(LENGTHS, type);

const placeOf = (reply: unknown): Place => {
  const place = Number(reply);
  return place === -2 ? null : place < 0 ? 'gone' : place;
};

const markOf = (reply: unknown): Buffer | null => (reply as Buffer[])[0] ?? null;

type Read = { sample: Sample; marks: Marks };

const parsed = ([kind, length, ...more]: unknown[]): Read => {
  const type = String(kind);
  const sample: Sample = { type, length: Number(length), places: NO_PLACES, added: null };
  if (type === 'list') {
    const [head, tail, first, last] = more;
    sample.places = { head: placeOf(head), tail: placeOf(tail) };
    return { sample, marks: { head: markOf(first), tail: markOf(last) } };
  }
  if (type === 'stream') {
    const added = Number(more[0]);
    sample.added = added < 0 ? null : added;
  }
  return { sample, marks: NO_MARKS };
};

/** Without scripts an element could only be read completely, however long it is. */
const byCommands = async ({ background }: ConnectionHandle, key: Key): Promise<Read> => {
  const type = await background.read(['TYPE', key]);
  const length = isQueueType(type) ? await background.read([LENGTHS[type], key]) : 0;
  return { sample: { type, length, places: NO_PLACES, added: null }, marks: NO_MARKS };
};

const argsOf = (mark: Buffer | null) => [mark ? '1' : '0', mark ?? ''];

/**
 * A queue now, compared with the elements that were at its ends: of a list of any length 2000 elements are compared at
 * most. Null where it is not known what waits. Throws the server's refusal, also WRONGTYPE where the key changes meanwhile.
 */
export const readEnds = async (handle: ConnectionHandle, key: Key, marks: Marks): Promise<Read | null> => {
  const args = [MAX_SEARCHED, MAX_MARK_BYTES, MAX_MEAN_BYTES, ...argsOf(marks.head), ...argsOf(marks.tail)];
  const reply = await readScript(handle, 'queue-ends', [key], args, 'scan');
  const read = reply ? parsed(reply) : await byCommands(handle, key);
  const { sample } = read;
  if (sample.type !== 'stream') return read;
  const ctx = { connection: handle, reader: handle.background, purpose: 'scan' as const };
  const groups = await readGroups(ctx, key);
  const length = waitingIn(groups, sample.length);
  return length === null ? null : { ...read, sample: { ...sample, length, groups: groups!.length } };
};
