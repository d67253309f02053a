import 'server-only';
import type { Redis } from 'ioredis';
import type { Key } from './commands';
import type { ConnectionHandle } from './connections';
import { unpackKeys } from './packed-keys';
import { canScanByScript, type ScanStep, type WholeScanOptions, walkNodes } from './scan';
import { runScript, script } from './scripts';

/**
 * What tells a server, without the catalog, that a key which fits a family's glob is of the family. It says yes only
 * where the catalog would; where it says no, the catalog is to be asked.
 */
export interface SureCheck {
  /** `run`: the parameter is of `byte`s alone; `pairs`: it is `name=value…`, values of `byte`s. */
  readonly kind: 'run' | 'pairs';
  /** A Lua character class. */
  readonly byte: string;
  /** Bytes before and behind the parameter, which the glob compares. */
  readonly head: number;
  readonly tail: number;
  /** Bounds of the parameter in bytes. */
  readonly min: number;
  readonly max: number;
  /** A key that ends so may be of another family. */
  readonly unless: readonly Uint8Array[];
}

/** Keys that fit `match`, and of them those that a server can tell to be meant. */
export interface SureSearch {
  match: string | Buffer;
  check: SureCheck;
}

export interface UnlinkWhole extends WholeScanOptions {
  /** Before each call that deletes, which may be this many keys; `false` and it is not made. */
  before(most: number): Promise<boolean>;
  /** After it: how many of the `most` it were, and the memory of one of them, in bytes. */
  after(most: number, deleted: number, memoryBytes: number | null): void;
}

/** A call of SCAN gives some more than it is asked for: it never stops within a bucket. */
const SURPLUS = 1.25;

const scanAndUnlink = async (redis: Redis, call: string, { match, check }: SureSearch, most: number) => {
  const { kind, byte, head, tail, min, max, unless } = check;
  const bounds = [head, tail, min, Number.isFinite(max) ? max : -1];
  const endings = unless.map((ending) => Buffer.from(ending));
  const args = [call, match, most, kind, byte, ...bounds, ...endings];
  const reply = (await runScript(redis, script('unlink-where-met'), [], args)) as unknown[];
  const [, , commands, deleted, memory, ...found] = reply as [
    number,
    number,
    number,
    number,
    number,
    ...Buffer[],
  ];
  const [next, packed] = found as [Buffer, Buffer];
  return {
    value: unpackKeys(packed),
    next: next.toString('latin1'),
    commands,
    deleted,
    memoryBytes: memory < 0 ? null : memory,
  };
};

/** Whether keys can be deleted where they are met: by a script, and in one step whatever their slots. */
export const canUnlinkWhole = async (handle: ConnectionHandle): Promise<boolean> =>
  handle.topology.kind !== 'cluster' && (await canScanByScript(handle));

/**
 * Goes through the keyspace once and deletes there what the server can tell to be meant. Gives the keys that fit and of
 * which it cannot tell: they are left. A call deletes no more keys than `before` was told.
 */
export async function* unlinkWhole(
  handle: ConnectionHandle,
  search: SureSearch,
  { before, after, ...options }: UnlinkWhole,
): AsyncGenerator<{ keys: Key[]; share: number }> {
  // Of whoever is asked before a call, and not of the Redis.
  let refusal: { error: unknown } | null = null;
  const checked = (): void => {
    if (refusal) throw refusal.error;
  };
  const step: ScanStep<Key[]> = async (redis, cursor, count) => {
    const most = Math.ceil(count * SURPLUS);
    const goesOn = await before(most).catch((error: unknown) => {
      refusal ??= { error };
      return false;
    });
    if (!goesOn) return { value: [], next: cursor, commands: 0 };
    const call = `${cursor} ${count}`;
    const { deleted, memoryBytes, ...given } = await scanAndUnlink(redis, call, search, most);
    after(most, deleted, memoryBytes);
    return given;
  };
  const walk = walkNodes(handle, { ...options, purpose: 'write' }, step);
  for await (const { value: keys, share } of walk) {
    checked();
    yield { keys, share };
  }
  checked();
}
