import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import { cardinalityOf, isHyperLogLog } from '@/lib/key-values/hyperloglog';
import { type Listed, listedItems, readTyped } from '@/lib/key-values/listed-keys';
import { maskedBytes, showBytes } from '@/lib/key-values/show-bytes';
import { NUMBER } from '@/lib/key-values/string-view';
import { roleKeys } from '@/lib/role-keys/role-keys';
import { COUNTER_KINDS, type Counter, type CounterKind, type counterContracts } from './schema';

/** Longer values are never counters. */
const MAX_NUMBER_BYTES = 64;
const MAX_TEXT_BYTES = 256;
/** A dense HyperLogLog has 12 304 bytes; a longer value is none. */
const MAX_HLL_BYTES = 16 * 1024;
/** Bits are counted in so many bytes. */
const MAX_BITMAP_BYTES = 2 ** 20;

type Figures = Omit<Counter, keyof Listed['row'] | 'kind'>;

const UNKNOWN: Figures = {
  bytes: null,
  number: null,
  digits: null,
  text: null,
  cardinality: null,
  problem: null,
  bitsSet: null,
  bitsArePartial: false,
  bits: null,
  firstSetBit: null,
};

/** Null where the key is gone meanwhile. */
type Found = Partial<Figures> | null;

const readCount = async (ctx: ReadContext, { key, access }: Listed): Promise<Found> => {
  const value = await ctx.reader.getString(key, MAX_TEXT_BYTES);
  if (!value) return null;
  const { bytes, length } = value;
  const digits = length <= MAX_NUMBER_BYTES ? bytes.toString('latin1') : '';
  if (NUMBER.test(digits)) return { bytes: length, digits, number: finite(Number(digits)) };
  const { catalog } = ctx;
  const text = await showBytes({ bytes, length }, { catalog, rules: access.rules, decode: false });
  return { bytes: length, text, problem: 'notANumber' };
};

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

const readBitmap = async ({ reader }: ReadContext, { key }: Listed): Promise<Found> => {
  const replies = await reader.readMany([
    ['STRLEN', key],
    ['BITCOUNT', key, 0, MAX_BITMAP_BYTES - 1],
    ['BITPOS', key, 1, 0, MAX_BITMAP_BYTES - 1],
  ]);
  for (const reply of replies) if (reply instanceof Error) throw reply;
  const [bytes, bitsSet, first] = replies as readonly number[];
  return {
    bytes: bytes!,
    bits: 8 * bytes!,
    bitsSet: bitsSet!,
    bitsArePartial: bytes! > MAX_BITMAP_BYTES,
    firstSetBit: first! < 0 ? null : first!,
  };
};

const readHyperLogLog = async ({ reader }: ReadContext, { key }: Listed): Promise<Found> => {
  const value = await reader.getString(key, MAX_HLL_BYTES);
  if (!value) return null;
  const bytes = value.length;
  if (!isHyperLogLog(value.bytes)) return { bytes, problem: 'notAHyperLogLog' };
  const cardinality = bytes > MAX_HLL_BYTES ? null : cardinalityOf(value.bytes);
  return { bytes, cardinality, problem: cardinality === null ? 'damaged' : null };
};

const readHidden = async ({ reader }: ReadContext, { key }: Listed): Promise<Found> => {
  const [bytes, exists] = await reader.readMany([
    ['STRLEN', key],
    ['EXISTS', key],
  ]);
  if (typeof bytes !== 'number') throw bytes;
  return exists === 0 ? null : { bytes, text: maskedBytes(bytes) };
};

const READS: Record<CounterKind, (ctx: ReadContext, listed: Listed) => Promise<Found>> = {
  count: readCount,
  bitmap: readBitmap,
  hyperloglog: readHyperLogLog,
};

const readCounter = async (ctx: ReadContext, listed: Listed): Promise<Counter | null> => {
  const { row, identity, access } = listed;
  if (row.type === 'none') return null;
  const kind = COUNTER_KINDS.find((each) => each === identity.family?.role) ?? 'count';
  const read = access.hidden ? readHidden : READS[kind];
  const found = await readTyped(listed, ['string'], () => read(ctx, listed));
  return found && { ...row, ...UNKNOWN, kind, ...found };
};

/** counters.list */
export const listCounters: ReadOf<typeof counterContracts.list> = async (ctx, { kind, ...page }) => {
  const found = await roleKeys(ctx.connection, ctx.catalog, kind ? [kind] : COUNTER_KINDS);
  return listedItems(ctx, 'counters.list', found, page, (listed) => readCounter(ctx, listed));
};
