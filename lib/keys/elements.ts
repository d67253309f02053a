import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { badField } from '@/lib/errors';
import { elementIndex, elementPage } from '@/lib/key-values/element-page';
import { type Cut, type ElementParts, elementIdOf } from '@/lib/key-values/etag';
import type { KeyIdentity } from '@/lib/key-values/identity';
import { addLinks } from '@/lib/key-values/links';
import { matchesShown } from '@/lib/key-values/masked-match';
import {
  fewerIfLarge,
  type RawElement,
  rangeOfElements,
  readEntries,
  readFields,
  sampleOfVectors,
} from '@/lib/key-values/raw-elements';
import type { KeyElement, ShownBytes } from '@/lib/key-values/schema';
import { followsName, type MaskRules, rulesForFields } from '@/lib/key-values/secret-spans';
import {
  type DecodingBudget,
  MAX_ELEMENT_CHARS,
  maskedBytes,
  type ShowOptions,
  showBytes,
} from '@/lib/key-values/show-bytes';
import type { ValueAccess } from '@/lib/key-values/value-access';
import { globParts } from '@/lib/keyspace/glob';
import { MASK } from '@/lib/keyspace/mask';
import type { CollectionScan } from '@/lib/redis/reader';
import { cursorExpired } from '@/lib/redis/server-process';
import { readFieldTtls } from './field-ttls';

interface Context extends Pick<ReadContext, 'connection' | 'catalog' | 'reader' | 'signal'> {
  maxNameBytes?: number;
}

/** An element is changed by its complete name, so that names are cut far later than values. */
const MAX_NAME_BYTES = 64 * 1024;

export type CollectionType = 'hash' | 'list' | 'set' | 'zset' | 'stream';

/** The type of which a sample of elements is read, because the server has no cursor through them. */
export const VECTOR_SET = 'vectorset';

export interface ElementQuery {
  identity: KeyIdentity;
  type: CollectionType | typeof VECTOR_SET;
  length: number;
  memoryBytes: number | null;
  /** Without the type in front of it. */
  cursor: string | undefined;
  limit: number;
  match: string | undefined;
  decode: boolean;
  access: ValueAccess;
}

export interface ElementPage {
  elements: KeyElement[];
  next: string | null;
}

/** Hashes up to this size are read in the order of their fields. */
const MAX_ORDERED_FIELDS = 1000;
const MATCH_CHUNK = 500;
const MAX_ENTRY_FIELDS = 500;

/** Bytes that the elements of a page are decoded to. */
const MAX_DECODED_BYTES = 2 * 2 ** 20;
const MAX_DECODING_MS = 1000;

/** A query with what its page may still decode. */
interface PagedQuery extends ElementQuery {
  decoding: DecodingBudget;
  /** The element of a list in front of the page: it may name a secret. */
  before?: Buffer;
}

const optionsOf = ({ catalog }: Context, { access, decode, decoding }: PagedQuery): ShowOptions => ({
  catalog,
  decode,
  decoding,
  rules: access.rules,
  maxDecodedChars: MAX_ELEMENT_CHARS,
});

/** Turns elements as they are stored into elements of the answer. */
class Shower {
  private readonly ctx: Context;
  private readonly query: PagedQuery;
  private readonly options: ShowOptions;
  private readonly fieldRules: MaskRules;
  private before: Buffer | undefined;

  /** `raw`: the elements of its page. */
  constructor(ctx: Context, query: PagedQuery, raw: readonly RawElement[] = []) {
    this.ctx = ctx;
    this.query = query;
    this.options = optionsOf(ctx, query);
    this.before = query.before;
    const { rules } = query.access;
    const pairs = raw.map(([field, value]) => [field!, value!] as const);
    this.fieldRules = query.type === 'hash' ? rulesForFields(rules, pairs) : rules;
  }

  private id(parts: ElementParts): string {
    return elementIdOf(this.ctx, this.query.identity.key, parts);
  }

  private member(cut: Cut): Promise<ShownBytes> | ShownBytes {
    return this.query.access.secretMembers ? maskedBytes(cut.length) : showBytes(cut, this.options);
  }

  private valueOf(field: Cut, value: Cut, rules: MaskRules): Promise<ShownBytes> | ShownBytes {
    const isSecret = rules.isSecretField(field.bytes.toString('utf8'));
    return isSecret ? maskedBytes(value.length) : showBytes(value, this.options);
  }

  private async entry([id, ...parts]: RawElement): Promise<KeyElement> {
    const entryId = id!.bytes.toString('latin1');
    const count = Math.min(parts.length / 2, MAX_ENTRY_FIELDS);
    const pairs = Array.from({ length: count }, (_, i) => [parts[2 * i]!, parts[2 * i + 1]!] as const);
    const rules = rulesForFields(this.query.access.rules, pairs);
    const fields: NonNullable<KeyElement['fields']> = [];
    // One by one: decoders need memory of their own.
    for (const [field, value] of pairs)
      fields.push({
        field: await showBytes(field, this.options),
        value: await this.valueOf(field, value, rules),
      });
    return { id: this.id({ entryId }), entryId, fields };
  }

  /** The field or member of an element, as the answer has it. */
  name([name]: RawElement): Promise<ShownBytes> | ShownBytes {
    return this.query.type === 'hash' ? showBytes(name!, this.options) : this.member(name!);
  }

  /** `index` is that of a list's element. */
  async show(raw: RawElement, index: number): Promise<KeyElement> {
    const { type } = this.query;
    if (type === 'stream') return this.entry(raw);
    const [first, second] = raw as [Cut, Cut];
    if (type === 'list') {
      const isSecret = followsName(this.options.rules, this.before);
      this.before = first.bytes;
      const value = isSecret ? maskedBytes(first.length) : await this.member(first);
      return { id: this.id({ index, value: first }), index, value };
    }
    if (type === 'hash')
      return {
        id: this.id({ field: first, value: second }),
        field: await this.name(raw),
        value: await this.valueOf(first, second, this.fieldRules),
      };
    const score = second?.bytes.toString('latin1');
    const id = this.id({ member: first, ...(score !== undefined && { score }) });
    return { id, member: await this.name(raw), ...(score !== undefined && { score }) };
  }
}

const withLinks = async (
  ctx: Context,
  query: PagedQuery,
  raw: readonly RawElement[],
  from = 0,
): Promise<KeyElement[]> => {
  const shower = new Shower(ctx, query, raw);
  const ttls =
    query.type === 'hash'
      ? await readFieldTtls(
          ctx,
          query.identity.key,
          raw.map(([field]) => field!),
        )
      : null;
  const elements: { element: KeyElement; member: Buffer | null }[] = [];
  for (const [i, one] of raw.entries()) {
    const [first] = one;
    const isMember = query.type === 'set' || query.type === 'zset' || query.type === 'list';
    const isWhole = first !== undefined && first.bytes.length === first.length;
    elements.push({
      element: { ...(await shower.show(one, from + i)), ...(ttls && { ttlSeconds: ttls[i]! }) },
      member: isMember && isWhole ? first.bytes : null,
    });
  }
  return addLinks(ctx, query.identity, elements);
};

const byIndex = async (
  ctx: Context,
  query: PagedQuery,
  readRange: (from: number, count: number) => Promise<RawElement[] | null>,
): Promise<ElementPage | null> => {
  const from = elementIndex(query.cursor ?? '0');
  const count = fewerIfLarge(query.limit, query.length, query.memoryBytes);
  const hasBefore = query.type === 'list' && from > 0;
  const read = await readRange(hasBefore ? from - 1 : from, hasBefore ? count + 1 : count);
  if (!read) return null;
  const [before, raw] = hasBefore ? [read[0], read.slice(1)] : [undefined, read];
  const end = from + raw.length;
  return {
    elements: await withLinks(ctx, { ...query, ...(before && { before: before[0]!.bytes }) }, raw, from),
    next: raw.length > 0 && end < query.length ? `${end}` : null,
  };
};

const ENTRY_ID = /^\d{1,20}-\d{1,20}$/;

const byEntry = async (ctx: Context, query: PagedQuery): Promise<ElementPage> => {
  const after = query.cursor ?? '';
  if (after !== '' && !ENTRY_ID.test(after)) throw cursorExpired();
  const count = fewerIfLarge(query.limit, query.length, query.memoryBytes);
  const raw = await readEntries(ctx, query.identity.key, after, count);
  const last = raw.at(-1)?.[0]?.bytes.toString('latin1');
  return {
    elements: await withLinks(ctx, query, raw),
    next: raw.length === count && last ? last : null,
  };
};

/**
 * Those whose name matches as it is shown: what is masked or cut matches `*` only, so that it cannot be found out letter
 * by letter.
 */
const matching = async (
  ctx: Context,
  query: PagedQuery,
  raw: readonly RawElement[],
): Promise<RawElement[]> => {
  if (query.match === undefined) return [...raw];
  const parts = globParts(Buffer.from(query.match));
  const shower = new Shower(ctx, { ...query, decode: false });
  const kept: RawElement[] = [];
  for (const one of raw) {
    const { masked, truncated, text } = await shower.name(one);
    if ((!masked && !truncated) || matchesShown(parts, text ?? MASK, truncated)) kept.push(one);
  }
  return kept;
};

const byCursor = async (ctx: Context, query: PagedQuery, how: CollectionScan): Promise<ElementPage> => {
  const { identity, cursor, limit, match, length, memoryBytes } = query;
  const page = await elementPage(ctx, identity.key, how, {
    cursor,
    limit,
    count: match === undefined ? fewerIfLarge(limit, length, memoryBytes) : MATCH_CHUNK,
    ...(match !== undefined && { match: Buffer.from(match) }),
    select: (elements) => matching(ctx, query, elements),
  });
  return { elements: await withLinks(ctx, query, page.items), next: page.nextCursor };
};

const ORDERED = /^f(\d{1,12})$/;

const fieldsInOrder = async (ctx: Context, query: PagedQuery): Promise<ElementPage | null> => {
  const [, at] = ORDERED.exec(query.cursor ?? 'f0') ?? [];
  if (at === undefined || query.match !== undefined || query.length > MAX_ORDERED_FIELDS) return null;
  const read = (from: number, count: number) => readFields(ctx, query.identity.key, from, count);
  const page = await byIndex(ctx, { ...query, cursor: at }, read);
  return page && { ...page, next: page.next && `f${page.next}` };
};

const refuseMatch = (message: string) => badField('match', message);

/**
 * A page of a collection. Throws 400 for a match that is not possible, 410 for the cursor of another kind, and the server's
 * WRONGTYPE.
 */
export const readElements = async (given: Context, asked: ElementQuery): Promise<ElementPage> => {
  const ctx = { ...given, maxNameBytes: MAX_NAME_BYTES };
  const query = { ...asked, decoding: { bytesLeft: MAX_DECODED_BYTES, msLeft: MAX_DECODING_MS } };
  const { type, match, access, identity } = query;
  if (match !== undefined) {
    if (type === 'list' || type === 'stream') throw refuseMatch(`A ${type} has no names to match.`);
    if (access.secretMembers) throw refuseMatch('These members are secrets.');
  }
  if (type === VECTOR_SET) {
    const sample = await sampleOfVectors(ctx, identity.key, query.limit);
    return { elements: await withLinks(ctx, query, sample ?? []), next: null };
  }
  if (type === 'stream') return byEntry(ctx, query);
  if (type === 'list' || (type === 'zset' && match === undefined)) {
    const how = type === 'list' ? 'LRANGE' : 'ZRANGE';
    return (await byIndex(ctx, query, (from, count) =>
      rangeOfElements(ctx, identity.key, how, from, count),
    ))!;
  }
  if (type === 'set') return byCursor(ctx, query, 'SSCAN');
  if (type === 'zset') return byCursor(ctx, query, 'ZSCAN');
  const ordered = await fieldsInOrder(ctx, query);
  if (ordered) return ordered;
  // The hash has grown, or the match has changed, since the cursor was issued.
  if (query.cursor?.startsWith('f')) throw cursorExpired();
  return byCursor(ctx, query, 'HSCAN');
};
