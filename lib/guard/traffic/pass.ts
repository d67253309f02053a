import 'server-only';
import { displayKey } from '@/lib/keyspace/display';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { distinct } from '@/lib/redis/distinct';
import { isWrongType } from '@/lib/redis/failure';
import { pacedOn } from '@/lib/redis/paced-reads';
import { readScript } from '@/lib/redis/read-script';
import { countWithRestart } from '@/lib/redis/server-process';
import { countDigits } from '@/lib/values/count-digits';
import { type Count, Heaviest } from './count';

/** The result of one HSCAN pass over a hash of counters. */
export interface Pass {
  /** Heaviest first. */
  top: Count[];
  /** The sum of all counts, exact. */
  total: bigint;
  fields: number;
  /** Fields whose value is not a count; not in any other figure. */
  unreadable: number;
  /** Number of counts by their number of digits; index 0 is one digit. */
  byDigits: number[];
  /** Whether the key is not a hash. */
  wrongType: boolean;
  /** False if fields were removed during the pass: some may be counted twice or missing. */
  exact: boolean;
}

/** Which of the heaviest fields to return. */
export interface TopRequest {
  most: number;
  /** Only fields that come after it in the order. */
  after?: Count | null;
}

/** HSCAN's COUNT: a reply of this size fits the server's first output buffer, which is fastest. */
const COUNT = 250;
/** Chunks of the scan budget per call: a field costs the server only about a microsecond. */
const CHUNKS_PER_CALL = 10;
/** The script sends counts with this many digits unadded: a Lua double would not add them exactly. */
const MIN_UNADDED_DIGITS = 13;
const MAX_DIGITS = 19;

class FieldCounts {
  readonly heaviest: Heaviest;
  readonly byDigits: number[] = new Array(MAX_DIGITS).fill(0);
  total = 0n;
  fields = 0;
  unreadable = 0;
  wrongType = false;
  exact = true;
  private length = 0;

  constructor({ most, after = null }: TopRequest) {
    this.heaviest = new Heaviest(most, after);
  }

  pass(): Pass {
    const { total, fields, unreadable, byDigits, wrongType, exact } = this;
    return { top: this.heaviest.sorted(), total, fields, unreadable, byDigits, wrongType, exact };
  }

  /** Notes the current HLEN. HSCAN repeats fields only when the table shrinks, and that needs removed fields. */
  setLength(length: number): void {
    if (length < this.length) this.exact = false;
    this.length = length;
  }

  /** Adds a count that the script left out of its sum. */
  add({ digits }: Count): void {
    this.total += BigInt(digits);
    this.byDigits[digits.length - 1]! += 1;
  }
}

/** Reads one page and returns the next cursor; null after the last. */
type Step = (cursor: string) => Promise<string | null>;

const byScript =
  (handle: ConnectionHandle, key: Key, counts: FieldCounts) =>
  async (cursor: string): Promise<string | null | 'unable'> => {
    const fields = handle.budget.limits.chunk * CHUNKS_PER_CALL;
    const count = Math.min(COUNT, fields);
    const args = [cursor, count, Math.ceil(fields / count), counts.heaviest.threshold];
    const reply = await readScript(handle, 'heaviest-fields', [key], args, 'scan');
    if (reply === null) return 'unable';
    const [next, figures, ...top] = (reply as Buffer[]).map((each, i) => (i < 2 ? String(each) : each));
    if (next === '') {
      counts.wrongType = true;
      return null;
    }
    const [length, examined = 0, unreadable = 0, sum = '0', ...digits] = String(figures).split(' ');
    counts.setLength(Number(length));
    counts.fields += Number(examined);
    counts.unreadable += Number(unreadable);
    counts.total += BigInt(sum);
    for (const [i, number] of digits.entries()) counts.byDigits[i]! += Number(number);
    for (let i = 0; i < top.length; i += 2) {
      const count = { field: top[i] as Buffer, digits: String(top[i + 1]) };
      if (count.digits.length >= MIN_UNADDED_DIGITS) counts.add(count);
      counts.heaviest.offer(count);
    }
    counts.heaviest.cut();
    return next === '0' ? null : (next as string);
  };

/** For Redis 6.2, which has no read-only scripts: every field is sent. */
const byCommands = (handle: ConnectionHandle, key: Key, counts: FieldCounts): Step => {
  const isNew = distinct();
  return async (cursor) => {
    const count = Math.min(1000, handle.budget.limits.chunk * CHUNKS_PER_CALL);
    const page = await handle.background.scanCollection('HSCAN', key, cursor, { count }).catch((error) => {
      if (!isWrongType(error)) throw error;
      counts.wrongType = true;
      return { elements: [], cursor: '0' };
    });
    const [length] = await handle.background.readMany([['HLEN', key]]);
    if (typeof length === 'number') counts.setLength(length);
    for (let i = 0; i + 1 < page.elements.length; i += 2) {
      if (!isNew(page.elements[i]!)) continue;
      const digits = countDigits(page.elements[i + 1]!);
      counts.fields += 1;
      if (digits === null) {
        counts.unreadable += 1;
        continue;
      }
      const read = { field: page.elements[i]!, digits };
      counts.add(read);
      counts.heaviest.offer(read);
    }
    return page.cursor === '0' ? null : page.cursor;
  };
};

/**
 * Reads the hash once, under the scan budget and in constant memory. Stops early if a field is removed, unless it is the
 * last attempt.
 */
const walk = async (
  handle: ConnectionHandle,
  key: Key,
  request: TopRequest,
  isLast: boolean,
): Promise<Pass> => {
  const counts = new FieldCounts(request);
  const script = byScript(handle, key, counts);
  const commands = byCommands(handle, key, counts);
  let hasScripts = true;
  const step: Step = async (from) => {
    const reached = hasScripts ? await script(from) : 'unable';
    hasScripts = reached !== 'unable';
    return reached === 'unable' ? commands(from) : reached;
  };
  let cursor: string | null = '0';
  const paced = pacedOn(handle.topology, key);
  while (cursor !== null && (counts.exact || isLast)) {
    const from: string = cursor;
    cursor = await paced(() => step(from));
  }
  return counts.pass();
};

const MAX_ATTEMPTS = 3;

/**
 * The heaviest fields of a hash of counters, their sum and distribution. A map that lost fields meanwhile is read again:
 * the collector deletes it every period, and a mix of two periods describes neither.
 */
export const heaviestFields = async (
  handle: ConnectionHandle,
  key: Key,
  request: TopRequest,
): Promise<Pass> => {
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === MAX_ATTEMPTS;
    const pass = await countWithRestart(handle, () => walk(handle, key, request, isLast));
    if (pass.exact || isLast) return pass;
  }
};

/** Why the map is unreadable; null when it is readable. */
export const mapProblem = ({ wrongType }: Pass, key: Key, catalog: Registry): string | null =>
  wrongType ? `The key ${displayKey(key, catalog)} is not a hash: the collector cannot count in it.` : null;
