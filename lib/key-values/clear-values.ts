import 'server-only';
import type { ReadContext, RecordedReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import type { CollectionScan, Reader } from '@/lib/redis/reader';
import type { ExportedKey } from './key-file';
import { isMasked, type ValuePart } from './masked';
import { EDITABLE_TYPES } from './schema';
import { followsName, rulesForFields } from './secret-spans';
import type { ValueAccess } from './value-access';

const PAGE_SIZE = 1000;
const SCANS: Readonly<Record<string, CollectionScan>> = { hash: 'HSCAN', set: 'SSCAN', zset: 'ZSCAN' };

/** Names of elements with what is attached to each, alternating. */
async function* pagesOfVectors(reader: Reader, key: Key): AsyncGenerator<Buffer[]> {
  const count = await reader.read(['VCARD', key]);
  const names = (count > 0 && (await reader.read(['VRANDMEMBER', key, count]))) || [];
  for (let from = 0; from < names.length; from += PAGE_SIZE) {
    const page = names.slice(from, from + PAGE_SIZE);
    const attributes = await reader.readMany(page.map((name) => ['VGETATTR', key, name] as const));
    for (const each of attributes) if (each instanceof Error) throw each;
    yield page.flatMap((name, i) => [name, (attributes[i] as Buffer | null) ?? Buffer.alloc(0)]);
  }
}

/** Pages of the elements of a key; of a hash and a stream fields and values alternate. The caller checked its size. */
async function* pagesOf(reader: Reader, key: Key, type: string): AsyncGenerator<Buffer[]> {
  const scan = SCANS[type];
  if (type === 'string') yield [(await reader.getString(key))?.bytes ?? Buffer.alloc(0)];
  else if (scan) {
    let cursor = '0';
    do {
      const page = await reader.scanCollection(scan, key, cursor, { count: PAGE_SIZE });
      yield page.elements;
      cursor = page.cursor;
    } while (cursor !== '0');
  } else if (type === 'vectorset') yield* pagesOfVectors(reader, key);
  else if (type === 'list') {
    for (let from = 0, got = PAGE_SIZE; got === PAGE_SIZE; from += PAGE_SIZE) {
      const page = await reader.range('LRANGE', key, from, PAGE_SIZE);
      got = page.length;
      yield page;
    }
  } else {
    for (let from = '-', got = PAGE_SIZE; got === PAGE_SIZE; ) {
      const page = await reader.read(['XRANGE', key, from, '+', 'COUNT', PAGE_SIZE]);
      got = page.length;
      yield page.flatMap(([, fields]) => fields);
      from = `(${page.at(-1)?.[0].toString() ?? ''}`;
    }
  }
}

/** The parts of a page, as an answer would show them. */
const partsOf = (elements: readonly Buffer[], type: string): ValuePart[] => {
  if (type === 'string') return elements.map((bytes) => ({ bytes }));
  if (type === 'hash' || type === 'stream')
    return elements.flatMap((field, i) => (i % 2 === 0 ? [{ field, bytes: elements[i + 1]! }] : []));
  if (type === 'vectorset')
    return elements.map((bytes, i) => ({ bytes, ...(i % 2 === 0 && { isMember: true as const }) }));
  const members = type === 'zset' ? elements.filter((_, i) => i % 2 === 0) : elements;
  return members.map((bytes) => ({ bytes, isMember: true as const }));
};

/** Whether an answer would mask a part of the value. Reads all of it. */
export const isMaskedValue = async (
  ctx: Pick<ReadContext, 'catalog' | 'reader'>,
  access: ValueAccess,
  key: Key,
  type: string,
): Promise<boolean> => {
  for await (const page of pagesOf(ctx.reader, key, type)) {
    if (type === 'list' && page.some((_, i) => followsName(access.rules, page[i - 1]))) return true;
    const parts = partsOf(page, type);
    const pairs = parts.flatMap(({ field, bytes }) =>
      field ? [[{ bytes: field }, { bytes }] as const] : [],
    );
    const rules = rulesForFields(access.rules, pairs);
    for (const part of parts) if (await isMasked(ctx, { ...access, rules }, part)) return true;
  }
  return false;
};

/** Types of which every part can be examined. */
export const EXAMINED_TYPES: ReadonlySet<string> = new Set([...EDITABLE_TYPES, 'vectorset']);
const MAX_ATTEMPTS = 3;

/**
 * Reads a key, unless a part of its value is masked for this caller. It is read before and after its parts were examined:
 * one that keeps changing, or whose parts cannot be read, counts as secret.
 */
export const readUnlessSecret = async (
  ctx: RecordedReadContext,
  access: ValueAccess,
  key: Key,
  read: () => Promise<ExportedKey | null>,
): Promise<ExportedKey | 'secret' | null> => {
  let before = await read();
  for (let attempt = 1; attempt <= MAX_ATTEMPTS && before !== null; attempt++) {
    if (!EXAMINED_TYPES.has(before.type) || (await isMaskedValue(ctx, access, key, before.type)))
      return 'secret';
    const after = await read();
    if (after?.dump.equals(before.dump)) return after;
    before = after;
  }
  return before === null ? null : 'secret';
};
