import 'server-only';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { deleteUndo } from '@/lib/command/undo-record';
import { env } from '@/lib/configuration';
import { Problem } from '@/lib/errors';
import { open, seal } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Expiry, Key } from '@/lib/redis/commands';
import { allReplies, type Store } from '@/lib/redis/store';
import { HOUR } from '@/lib/time';

/** Larger values are not stored for undo: their DUMP would block the server. */
export const MAX_SNAPSHOT_BYTES = 8 * 1024 * 1024;

/** Copy of a key: its DUMP and its expiry. */
export interface KeyDump {
  key: Key;
  expires: Expiry;
  value: Buffer;
}

/** Copy of a key. `again` replaces an earlier copy; `void` says that the key must not be restored. */
export interface SnapshotEntry extends KeyDump {
  mark: 'plain' | 'again' | 'void';
}

const MARKS = ['plain', 'again', 'void'] as const;
/** Added to the mark where the expiry is an integer of 64 bits: a number would round it. */
const EXACT = 8;
/** Mark, length of the key, time of expiry, length of the value. */
const HEAD = 1 + 4 + 8 + 4;

const encode = (entries: readonly SnapshotEntry[]): Buffer => {
  const heads = Buffer.alloc(entries.length * HEAD);
  const pieces: Buffer[] = [];
  entries.forEach(({ mark, key, expires, value }, i) => {
    const at = i * HEAD;
    const isExact = typeof expires === 'string';
    heads.writeUInt8(MARKS.indexOf(mark) + (isExact ? EXACT : 0), at);
    heads.writeUInt32BE(key.length, at + 1);
    if (isExact) heads.writeBigInt64BE(BigInt(expires), at + 5);
    else heads.writeDoubleBE(expires, at + 5);
    heads.writeUInt32BE(value.length, at + 13);
    pieces.push(heads.subarray(at, at + HEAD), key, value);
  });
  return Buffer.concat(pieces);
};

const decode = (bytes: Buffer): SnapshotEntry[] => {
  const entries: SnapshotEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const keyAt = at + HEAD;
    const valueAt = keyAt + bytes.readUInt32BE(at + 1);
    const end = valueAt + bytes.readUInt32BE(at + 13);
    const mark = bytes.readUInt8(at);
    entries.push({
      mark: MARKS[mark % EXACT]!,
      expires: mark < EXACT ? bytes.readDoubleBE(at + 5) : String(bytes.readBigInt64BE(at + 5)),
      key: bytes.subarray(keyAt, valueAt),
      value: bytes.subarray(valueAt, end),
    });
    at = end;
  }
  return entries;
};

const pack = promisify<Buffer, { level: number }, Buffer>(deflate);
const unpack = promisify<Buffer, Buffer>(inflate);

/** Compressed in another thread, and fast rather than small because the deletion waits for it. */
const packed = (entries: readonly SnapshotEntry[]): Promise<Buffer> => pack(encode(entries), { level: 1 });

const keyOf = (auditId: string): Buffer => consoleFamilies.undoKeys.key({ id: auditId });

const full = (what: string, done: string): Problem =>
  new Problem(
    'no_undo',
    `There is more than ${what} to store for undo: ${done} Send withoutUndo to continue.`,
  );

/** Copies of the keys of one change, in sealed parts that expire together. */
export class Snapshots {
  keys = 0;
  private parts = 0;
  /** Whether the last part may not have been written. The next part would then have the wrong index. */
  private isUnsure = false;
  private bytes = 0;

  constructor(
    private readonly store: Store,
    private readonly auditId: string,
  ) {}

  get lifetimeMs(): number {
    return Math.round(env().undo.hours * HOUR);
  }

  prepare(entries: readonly SnapshotEntry[]): Promise<Buffer> {
    return packed(entries);
  }

  /** Resolves when the part is stored. Throws 409 above the limits and 503 when the store cannot take it. */
  async add(packed: Buffer, keys: number): Promise<void> {
    const { maxKeys, maxBytes } = env().undo;
    const done = 'what was changed so far can be undone.';
    if (this.keys + keys > maxKeys) throw full(`${maxKeys} keys`, done);
    if (this.bytes + packed.length > maxBytes) throw full(`${maxBytes} bytes`, done);
    if (this.isUnsure) throw new Problem('store_unavailable', 'The undo data cannot be extended.');
    const sealed = seal('undo', packed, `${this.auditId}:${this.parts}`);
    this.isUnsure = true;
    const [length] = await this.store.use(async (redis) =>
      allReplies(
        await redis
          .multi()
          .rpush(keyOf(this.auditId), sealed)
          .pexpire(keyOf(this.auditId), this.lifetimeMs)
          .exec(),
      ),
    );
    if (length !== this.parts + 1) throw new Problem('store_unavailable', 'The undo data has expired.');
    this.isUnsure = false;
    this.parts += 1;
    this.keys += keys;
    this.bytes += packed.length;
  }

  /** Removes the last part, whose keys were not deleted. */
  async drop(keys: number): Promise<void> {
    await this.store.use((redis) => redis.rpop(keyOf(this.auditId)));
    this.parts -= 1;
    this.keys -= keys;
  }
}

export const countParts = (store: Store, auditId: string): Promise<number> =>
  store.use((redis) => redis.llen(keyOf(auditId)));

/** The stored copies, newest part first. Throws when a part is missing or was altered. */
export async function* readSnapshots(
  store: Store,
  auditId: string,
): AsyncGenerator<{ part: number; entries: SnapshotEntry[] }> {
  for (let part = (await countParts(store, auditId)) - 1; part >= 0; part--) {
    const sealed = await store.use((redis) => redis.lindexBuffer(keyOf(auditId), part));
    const bytes = sealed && open('undo', sealed, `${auditId}:${part}`);
    if (!bytes) throw new Problem('conflict', 'The undo data can no longer be read.');
    yield { part, entries: decode(await unpack(bytes)) };
  }
}

/** Replaces a part with the copies that are still to be restored. */
export const replacePart = async (
  store: Store,
  auditId: string,
  part: number,
  entries: readonly SnapshotEntry[],
): Promise<void> => {
  const sealed = seal('undo', await packed(entries), `${auditId}:${part}`);
  await store.use((redis) => redis.lset(keyOf(auditId), part, sealed));
};

export const deleteSnapshots = async (store: Store, auditId: string): Promise<void> => {
  await deleteUndo(store, auditId);
  await store.use((redis) => redis.unlink(keyOf(auditId)));
};
