import 'server-only';
import type { Key } from '@/lib/redis/commands';
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
/** Bytes of values in one reply. */
const MAX_REPLY_BYTES = 512 * 1024;

const script = {
  name: 'snapshot-keys',
  otherCalls: ([looked]: readonly unknown[]) => looked as number,
};

const read = (keys: readonly Key[], looked: number, memoryBytes: number, packed: Buffer): Snapshot => {
  const found: Snapshot = { there: [], gone: [], tooLarge: [], left: keys.slice(looked), memoryBytes };
  let at = 0;
  for (const key of keys.slice(0, looked)) {
    const length = packed.readUInt32BE(at);
    const expires = packed.readDoubleBE(at + 4);
    at += HEAD;
    if (length === 0) found.gone.push(key);
    else if (length === TOO_LARGE) found.tooLarge.push(key);
    else {
      found.there.push({ key, expires, value: packed.subarray(at, at + length) });
      at += length;
    }
  }
  return found;
};

/** Reads keys of one node, as many as fit into one call. */
export const snapshot = async (writer: Writer, keys: readonly Key[]): Promise<Snapshot> => {
  const reply = await writer.runNear(script, keys[0]!, [MAX_SNAPSHOT_BYTES, MAX_REPLY_BYTES, ...keys]);
  const [looked, memoryBytes, packed] = reply as [number, number, Buffer];
  return read(keys, looked, memoryBytes, packed);
};

/** The outcome of a deletion. */
export interface Deleted {
  deleted: number;
  gone: Key[];
  changed: Key[];
}

const LETTERS = { deleted: 0x64, gone: 0x76 };

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
  const keys = [...there.map(({ key }) => key), ...tooLarge];
  const out: Deleted = { deleted: 0, gone: [], changed: [] };
  if (keys.length === 0) return out;
  const args = [
    ...there.flatMap(({ key, expires, value }) => [
      ...[key, value.subarray(-CHECK_BYTES)],
      sameExpiry ? expiryArg(expires) : '',
    ]),
    ...tooLarge.flatMap((key) => [key, '', '']),
  ];
  const [states] = (await writer.runNear(unlinkScript, keys[0]!, args)) as [Buffer];
  keys.forEach((key, i) => {
    if (states[i] === LETTERS.deleted) out.deleted += 1;
    else if (states[i] === LETTERS.gone) out.gone.push(key);
    else out.changed.push(key);
  });
  return out;
};
