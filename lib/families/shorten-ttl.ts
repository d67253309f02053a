import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { runOnEach } from '@/lib/redis/run-on-each';
import { expiryArg } from '@/lib/snapshots/restore-keys';
import type { SnapshotEntry } from '@/lib/snapshots/snapshots';

/** A new TTL, or expiry (epoch ms), for a key that does not expire sooner. */
export type WantedTtl = ({ ttlMs: number } | { at: number }) & {
  key: Key;
  /** The expiry the key must still have, epoch ms, -1 for none; any by default. */
  expires?: number;
};

export type TtlState = 'added' | 'shortened' | 'shorter' | 'vanished' | 'changed';

/** The script's result for a key: its expiry before, and the requested one, epoch ms; before is -1 for none. */
export interface ShortenedTtl {
  key: Key;
  state: TtlState;
  before: number;
  wanted: number;
}

const STATES: Record<string, TtlState> = {
  a: 'added',
  s: 'shortened',
  k: 'shorter',
  v: 'vanished',
  c: 'changed',
};
/** Bytes per key: the former and the new expiry. */
const PAIR = 16;

const script = {
  name: 'shorten-ttl',
  otherCalls: ([states]: readonly unknown[]) =>
    1 + (states as Buffer).toString('latin1').replace(/[kvc]/g, '').length,
};

/** Adds or shortens the TTL of keys of one node in one step. With `dryRun` it only reports. */
export const shortenTtls = async (
  { writer }: Pick<WriteContext, 'writer'>,
  keys: readonly WantedTtl[],
  dryRun: boolean,
): Promise<ShortenedTtl[]> => {
  const items = keys.map((wanted) => ({
    key: wanted.key,
    args: [
      wanted.key,
      'at' in wanted ? `@${expiryArg(wanted.at)}` : wanted.ttlMs,
      wanted.expires === undefined ? '' : expiryArg(wanted.expires),
    ],
  }));
  const states = await runOnEach(writer, script, items, [dryRun ? '1' : '0']);
  return states.map(({ letter, reply, place }, i) => {
    const packed = reply[1] as Buffer;
    return {
      key: keys[i]!.key,
      state: STATES[letter]!,
      before: packed.readDoubleBE(place * PAIR),
      wanted: packed.readDoubleBE(place * PAIR + PAIR / 2),
    };
  });
};

const expiryBytes = (at: number): Buffer => {
  const bytes = Buffer.alloc(PAIR / 2);
  bytes.writeDoubleBE(at);
  return bytes;
};

/** What undo stores for the changed keys: their former expiry; the value is the new one. */
export const formerExpiries = (keys: readonly ShortenedTtl[]): SnapshotEntry[] =>
  keys
    .filter(({ state }) => state === 'added' || state === 'shortened')
    .map(({ key, before, wanted }) => ({ key, mark: 'plain', expires: before, value: expiryBytes(wanted) }));
