import 'server-only';
import { displayKey } from '@/lib/catalog/display';
import type { Registry } from '@/lib/catalog/registry';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { distinct } from '@/lib/redis/distinct';
import { isWrongType } from '@/lib/redis/failure';
import { readScript } from '@/lib/redis/read-script';
import { timeRoundTrip } from '@/lib/redis/round-trip';
import { countWithRestart } from '@/lib/redis/server-process';
import { type Count, countDigits, Heaviest } from './count';

/** What one walk through a hash of counters found. */
export interface Pass {
  /** Heaviest first. */
  top: Count[];
  /** The sum of all counts, exact. */
  total: bigint;
  fields: number;
  /** Fields whose value is no count; they are in no other figure. */
  unreadable: number;
  /** Counts by their digits: index 0 for those of one digit. */
  byDigits: number[];
  /** Whether the key is no hash. */
  wrongType: boolean;
  /** False where fields were removed while it was read: some may be counted twice, or be gone. */
  exact: boolean;
}

/** Which of the heaviest fields are wanted. */
export interface Wanted {
  most: number;
  /** Only what comes after it in the order. */
  after?: Count | null;
}

/** HSCAN's COUNT: its reply then fits the server's first buffer, which is quicker than larger ones. */
const COUNT = 250;
/** How many of the budget's chunks one call takes: a field costs the server a microsecond. */
const CHUNKS = 10;
const LONG = 13;
const MAX_DIGITS = 19;

class Tally {
  readonly heaviest: Heaviest;
  readonly byDigits: number[] = new Array(MAX_DIGITS).fill(0);
  total = 0n;
  fields = 0;
  unreadable = 0;
  wrongType = false;
  exact = true;
  private length = 0;

  constructor({ most, after = null }: Wanted) {
    this.heaviest = new Heaviest(most, after);
  }

  pass(): Pass {
    const { total, fields, unreadable, byDigits, wrongType, exact } = this;
    return { top: this.heaviest.sorted(), total, fields, unreadable, byDigits, wrongType, exact };
  }

  /** How many fields there are now. HSCAN repeats fields only where the table shrinks, which needs fields to be removed. */
  saw(length: number): void {
    if (length < this.length) this.exact = false;
    this.length = length;
  }

  /** A count the server did not add up. */
  add({ digits }: Count): void {
    this.total += BigInt(digits);
    this.byDigits[digits.length - 1]! += 1;
  }
}

/** One call's part, and where the next begins; null after the last. */
type Step = (cursor: string) => Promise<string | null>;

const byScript =
  (handle: ConnectionHandle, key: Key, tally: Tally) =>
  async (cursor: string): Promise<string | null | 'unable'> => {
    const wanted = handle.budget.limits.chunk * CHUNKS;
    const count = Math.min(COUNT, wanted);
    const args = [cursor, count, Math.ceil(wanted / count), tally.heaviest.least];
    const reply = await readScript(handle, 'heaviest-fields', [key], args, 'scan');
    if (reply === null) return 'unable';
    const [next, figures, ...given] = (reply as Buffer[]).map((each, i) => (i < 2 ? String(each) : each));
    if (next === '') {
      tally.wrongType = true;
      return null;
    }
    const [length, fields = 0, unreadable = 0, sum = '0', ...digits] = String(figures).split(' ');
    tally.saw(Number(length));
    tally.fields += Number(fields);
    tally.unreadable += Number(unreadable);
    tally.total += BigInt(sum);
    for (const [i, many] of digits.entries()) tally.byDigits[i]! += Number(many);
    for (let i = 0; i < given.length; i += 2) {
      const count = { field: given[i] as Buffer, digits: String(given[i + 1]) };
      if (count.digits.length >= LONG) tally.add(count);
      tally.heaviest.offer(count);
    }
    tally.heaviest.cut();
    return next === '0' ? null : (next as string);
  };

/** Redis 6.2 has no read-only scripts: every field comes over the wire. */
const byCommands = (handle: ConnectionHandle, key: Key, tally: Tally): Step => {
  const isNew = distinct();
  return async (cursor) => {
    const count = Math.min(1000, handle.budget.limits.chunk * CHUNKS);
    const page = await handle.background.scanCollection('HSCAN', key, cursor, { count }).catch((error) => {
      if (!isWrongType(error)) throw error;
      tally.wrongType = true;
      return { elements: [], cursor: '0' };
    });
    const [length] = await handle.background.readMany([['HLEN', key]]);
    if (typeof length === 'number') tally.saw(length);
    for (let i = 0; i + 1 < page.elements.length; i += 2) {
      if (!isNew(page.elements[i]!)) continue;
      const digits = countDigits(page.elements[i + 1]!);
      tally.fields += 1;
      if (digits === null) {
        tally.unreadable += 1;
        continue;
      }
      const read = { field: page.elements[i]!, digits };
      tally.add(read);
      tally.heaviest.offer(read);
    }
    return page.cursor === '0' ? null : page.cursor;
  };
};

/**
 * Walks through the hash once, under the connection's scan budget and in constant memory; unless it is the last try,
 * only as long as no field is removed.
 */
const walk = async (handle: ConnectionHandle, key: Key, wanted: Wanted, isLast: boolean): Promise<Pass> => {
  const tally = new Tally(wanted);
  const script = byScript(handle, key, tally);
  const commands = byCommands(handle, key, tally);
  let able = true;
  const step: Step = async (from) => {
    const reached = able ? await script(from) : 'unable';
    able = reached !== 'unable';
    return reached === 'unable' ? commands(from) : reached;
  };
  let cursor: string | null = '0';
  const inTurn = handle.budget.walk();
  while (cursor !== null && (tally.exact || isLast)) {
    const from: string = cursor;
    ({ value: cursor } = await inTurn(() => timeRoundTrip(() => step(from))));
  }
  return tally.pass();
};

const TRIES = 3;

/**
 * The heaviest fields of a hash of counters, their sum and how they spread. A map that lost fields meanwhile is walked
 * through again (the collector deletes it every period): half of one period and half of the next are neither.
 */
export const heaviestFields = async (handle: ConnectionHandle, key: Key, wanted: Wanted): Promise<Pass> => {
  for (let tries = 1; ; tries++) {
    const isLast = tries === TRIES;
    const pass = await countWithRestart(handle, () => walk(handle, key, wanted, isLast));
    if (pass.exact || isLast) return pass;
  }
};

/** Why a map cannot be read, in words; null when it can. */
export const mapProblem = ({ wrongType }: Pass, key: Key, catalog: Registry): string | null =>
  wrongType ? `The key ${displayKey(key, catalog)} is not a hash: the collector cannot count in it.` : null;
