import 'server-only';
import { displayKey } from '@/lib/keyspace/display';
import type { Family } from '@/lib/keyspace/family';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key } from '@/lib/redis/commands';
import { isWrongType } from '@/lib/redis/failure';
import type { Reader } from '@/lib/redis/reader';
import { partIn } from '@/lib/role-keys/part-in-key';
import { unixSeconds } from '@/lib/time';
import { countDigits } from '@/lib/values/count-digits';
import { readEach } from '@/lib/values/read-each';
import { type Whole, wholeOf } from '@/lib/values/whole';
import type { Finding } from './drift';

/** Fields of an import that are no publications. */
const TIMESTAMP = '_timestamp';
const TOTAL = '_total';
const NO_PUBLICATION = '_'.charCodeAt(0);

export const isPublication = (field: Buffer): boolean => field[0] !== NO_PUBLICATION;

/** Newest imports that are read; older ones are not listed. */
const MAX_IMPORTS = 1000;

interface Named {
  key: Key;
  /** As in the name of the key, usually Unix seconds. */
  stamp: number;
}

/** An import without its publications, which only the latest is read for. */
export interface Import extends Named {
  /** Epoch ms. */
  at: number | null;
  publications: number;
  /** As the import says. */
  total: Whole | null;
}

const newestFirst = (a: Named, b: Named): number => b.stamp - a.stamp || Buffer.compare(a.key, b.key);

/** The keys of the newest imports. A key that the scan repeats is there once. */
export class ImportKeys {
  private byName = new Map<string, Named>();

  constructor(private readonly family: Family) {}

  add(key: Key): void {
    const stamp = Number(partIn(this.family, this.family.parse(key), 'at') ?? Number.NaN);
    this.byName.set(key.toString('latin1'), { key, stamp });
    if (this.byName.size < 2 * MAX_IMPORTS) return;
    const kept = this.newest();
    this.byName = new Map(kept.map((each) => [each.key.toString('latin1'), each]));
  }

  newest(): Named[] {
    return [...this.byName.values()].sort(newestFirst).slice(0, MAX_IMPORTS);
  }
}

/** A longer value is neither a time nor a number. */
const MAX_FIGURE_BYTES = 64;

interface Found {
  wrongTypes: Finding;
  notNumbers: Finding;
  catalog: Registry;
}

const timeOf = (text: string): number | null => (/^\d{13}$/.test(text) ? Number(text) : unixSeconds(text));

/** Imports with what they say of themselves, newest first. Keys that are gone or no hash are left out. */
export const readImports = async (
  reader: Reader,
  named: readonly Named[],
  { wrongTypes, notNumbers, catalog }: Found,
): Promise<Import[]> => {
  const sizes = await readEach(reader, named, ({ key }) => [
    ['HLEN', key],
    ['HSTRLEN', key, TIMESTAMP],
    ['HSTRLEN', key, TOTAL],
  ]);
  const lengthAt = (i: number, j: number): number => {
    const length = sizes[i]![j];
    if (length instanceof Error && !isWrongType(length)) throw length;
    return length instanceof Error ? -1 : Number(length);
  };
  const short = named.flatMap(({ key }, i) =>
    [TIMESTAMP, TOTAL].flatMap((field, j) =>
      lengthAt(i, 0) > 0 && lengthAt(i, 1 + j) <= MAX_FIGURE_BYTES
        ? [{ id: 2 * i + j, command: ['HGET', key, field] as const }]
        : [],
    ),
  );
  const replies = await reader.readMany(short.map(({ command }) => command));
  const values = new Map(short.map(({ id }, i) => [id, replies[i]]));
  const read = (i: number, j: number) => {
    const value = values.get(2 * i + j);
    const exists = Buffer.isBuffer(value) || lengthAt(i, 1 + j) > 0;
    return { exists, text: Buffer.isBuffer(value) ? value.toString('latin1') : '' };
  };
  return named.flatMap(({ key, stamp }, i): Import[] => {
    const length = lengthAt(i, 0);
    if (length < 0) wrongTypes.add(() => displayKey(key, catalog));
    if (length <= 0) return [];
    const [timestamp, total] = [read(i, 0), read(i, 1)];
    const digits = countDigits(Buffer.from(total.text, 'latin1'));
    if (total.exists && digits === null) notNumbers.add(() => `${displayKey(key, catalog)}: ${TOTAL}`);
    return [
      {
        key,
        stamp,
        at: timeOf(timestamp.text) ?? timeOf(String(stamp)),
        publications: length - Number(timestamp.exists) - Number(total.exists),
        total: digits === null ? null : wholeOf(digits),
      },
    ];
  });
};
