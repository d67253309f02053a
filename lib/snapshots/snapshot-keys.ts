import 'server-only';
import type { Key } from '@/lib/redis/commands';
import { runOnEach } from '@/lib/redis/run-on-each';
import type { Writer } from '@/lib/redis/writer';
import { expiryArg } from './restore-keys';
import { type KeyDump, MAX_SNAPSHOT_BYTES } from './snapshots';

/** The state of keys when they were read. */
export interface Snapshot {
  there: KeyDump[];
  gone: Key[];
  /** The value is too large to store. */
  tooLarge: Key[];
  /** Not read: the keys before them filled the reply. */
  left: Key[];
  memoryBytes: number;
}

const HEAD = 12;
const TOO_LARGE = 0xffff_ffff;
const ELSEWHERE = 0xffff_fffe;
/** Bytes of values in one reply. */
const MAX_REPLY_BYTES = 512 * 1024;

type Reply = [looked: number, memoryBytes: number, packed: Buffer];

const script = {
  name: 'snapshot-keys',
  otherCalls: ([looked]: readonly unknown[]) => looked as number,
};

/** `elsewhere`: keys whose slots have moved. */
type Read = Snapshot & { elsewhere: Key[] };

const read = (keys: readonly Key[], [looked, memoryBytes, packed]: Reply): Read => {
  const left = keys.slice(looked);
  const found: Read = { there: [], gone: [], tooLarge: [], left, memoryBytes, elsewhere: [] };
  let at = 0;
  for (const key of keys.slice(0, looked)) {
    const length = packed.readUInt32BE(at);
    const expires = packed.readDoubleBE(at + 4);
    at += HEAD;
    if (length === 0) found.gone.push(key);
    else if (length === TOO_LARGE) found.tooLarge.push(key);
    else if (length === ELSEWHERE) found.elsewhere.push(key);
    else {
      found.there.push({ key, expires, value: packed.subarray(at, at + length) });
      at += length;
    }
  }
  return found;
};

/** Reads keys of one node, as many as fit into one call. */
export const snapshot = async (writer: Writer, keys: readonly Key[]): Promise<Snapshot> => {
  const argsOf = (some: readonly Key[]) => [MAX_SNAPSHOT_BYTES, MAX_REPLY_BYTES, ...some];
  const { elsewhere, ...found } = read(keys, (await writer.runNear(script, keys[0]!, argsOf(keys))) as Reply);
  // Their slots have moved meanwhile.
  for (const key of elsewhere) {
    const alone = read([key], (await writer.runAlone(script, key, argsOf([key]))) as Reply);
    found.there.push(...alone.there);
    found.gone.push(...alone.gone);
    found.tooLarge.push(...alone.tooLarge);
    found.memoryBytes += alone.memoryBytes;
  }
  for (const copy of found.there) copy.expires = await writer.unrounded(copy.key, Number(copy.expires));
  return found;
};

/** The outcome of a deletion. */
export interface Deleted {
  deleted: number;
  gone: Key[];
  changed: Key[];
}

const LETTERS = { deleted: 'd', gone: 'v' };

const unlinkScript = {
  name: 'unlink-unchanged',
  otherCalls: ([states]: readonly unknown[]) => (states as Buffer).length,
};

const CHECK_BYTES = 8;

/**
 * Deletes keys of one node that still equal their snapshot, with `sameExpiry` in their expiry too; those too large for one
 * unconditionally.
 */
export const unlinkUnchanged = async (
  writer: Writer,
  { there, tooLarge }: Pick<Snapshot, 'there' | 'tooLarge'>,
  { sameExpiry = false } = {},
): Promise<Deleted> => {
  const out: Deleted = { deleted: 0, gone: [], changed: [] };
  const items = [
    ...there.map(({ key, expires, value }) => ({
      key,
      args: [key, value.subarray(-CHECK_BYTES), sameExpiry ? expiryArg(expires) : ''],
    })),
    ...tooLarge.map((key) => ({ key, args: [key, '', ''] })),
  ];
  const states = await runOnEach(writer, unlinkScript, items);
  for (const [i, { letter }] of states.entries()) {
    const { key } = items[i]!;
    if (letter === LETTERS.deleted) out.deleted += 1;
    else if (letter === LETTERS.gone) out.gone.push(key);
    else out.changed.push(key);
  }
  return out;
};
