import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { isoOrNull, SECOND } from '@/lib/time';
import { textOf } from '@/lib/values/string-value';
import { isEncoded } from './decode/decode';
import { cardinalityOf, isHyperLogLog } from './hyperloglog';
import type { ShownBytes, StringView } from './schema';
import { findSpans, findSpansInside, type MaskRules, namesSecretField } from './secret-spans';
import {
  maskedBytes,
  replaceSpans,
  type ShowOptions,
  secretSpans,
  showBytes,
  wholeCharacters,
} from './show-bytes';

/** A value up to this length is one page. */
const MAX_WHOLE_BYTES = 256 * 1024;
const PAGE_BYTES = 64 * 1024;
/** Read on both sides of a page, so that a secret across its edge is recognised. */
const CONTEXT_BYTES = 8 * 1024;
const MAX_IMAGE_BYTES = 2_000_000;
const MAX_BITMAP_BYTES = 2 ** 20;
const HEAD_BYTES = 4096;

/** A part of a string, and its beginning. */
interface Read {
  length: number;
  offset: number;
  /** The bytes of the page. */
  page: Buffer;
  /** Read before and behind the page. */
  before: Buffer;
  behind: Buffer;
  /** The beginning of the value. */
  head: Buffer;
}

/** Where a page begins, and the length that the string had before it was read. */
interface StringPlace {
  offset: number;
  knownLength: number;
}

const readPage = async (
  { reader }: Pick<ReadContext, 'reader'>,
  key: Key,
  { offset, knownLength }: StringPlace,
): Promise<Read> => {
  const start = Math.max(0, offset - CONTEXT_BYTES);
  const isOnePage = offset === 0 && knownLength <= MAX_WHOLE_BYTES;
  const end = isOnePage ? MAX_WHOLE_BYTES : offset + PAGE_BYTES + CONTEXT_BYTES;
  const [length, part, head] = await reader.readMany([
    ['STRLEN', key],
    ['GETRANGE', key, start, end - 1],
    ['GETRANGE', key, 0, HEAD_BYTES - 1],
  ]);
  for (const reply of [length, part, head]) if (reply instanceof Error) throw reply;
  const [size, bytes] = [length as number, part as Buffer];
  const isWhole = isOnePage && size <= MAX_WHOLE_BYTES;
  const from = Math.min(offset - start, bytes.length);
  const cut = isWhole ? bytes : bytes.subarray(from, from + PAGE_BYTES);
  const page = offset + cut.length < size ? wholeCharacters(cut) : cut;
  return {
    length: size,
    offset,
    page,
    before: bytes.subarray(0, from),
    behind: bytes.subarray(from + page.length, from + page.length + CONTEXT_BYTES),
    head: head as Buffer,
  };
};

const IMAGES: readonly (readonly [mime: string, test: (head: Buffer) => boolean])[] = [
  ['image/png', (head) => head.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', (head) => head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff],
  ['image/gif', (head) => /^GIF8[79]a/.test(head.toString('latin1', 0, 6))],
  ['image/webp', (head) => /^RIFF[\s\S]{4}WEBP/.test(head.toString('latin1', 0, 12))],
];

const imageType = (head: Buffer): string | null => IMAGES.find(([, test]) => test(head))?.[0] ?? null;

/** A number as Redis counts, or as INCRBYFLOAT writes it. */
export const NUMBER = /^[+-]?(?:\d{1,40}(?:\.\d{1,40})?)(?:e[+-]?\d{1,4})?$/i;
const JWT = /^([\w-]{8,})\.([\w-]+)\.([\w-]*)\s*$/;

const isJson = (text: string): boolean => {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const jsonPart = (part: string): { text: string; value: Record<string, unknown> } | null => {
  const text = textOf(Buffer.from(part, 'base64url'));
  if (text === null || !isJson(text)) return null;
  return { text, value: JSON.parse(text) as Record<string, unknown> };
};

const maskedText = (text: string, rules: MaskRules): string => {
  const bytes = Buffer.from(text);
  return replaceSpans(bytes, findSpans(bytes.toString('latin1'), { ...rules, strict: true })).toString();
};

/** The parts of a JWT without its signature, which makes it a secret. */
const jwtOf = (text: string, rules: MaskRules): StringView['jwt'] => {
  const [, head, body] = JWT.exec(text.trim()) ?? [];
  const [header, claims] = [head, body].map((part) => (part ? jsonPart(part) : null));
  if (!header || !claims || typeof header.value.alg !== 'string') return null;
  const { exp } = claims.value;
  return {
    header: maskedText(header.text, rules),
    claims: maskedText(claims.text, rules),
    expiresAt: typeof exp === 'number' ? isoOrNull(exp * SECOND) : null,
  };
};

/** A part of a longer value: secrets across its edges are masked, and compressed data is not handed out. */
const showPart = async (read: Read, options: ShowOptions, hasSecretFields: boolean): Promise<ShownBytes> => {
  const { length, offset, page, before, behind, head } = read;
  const first = offset === 0 ? await showBytes({ bytes: page, length }, options) : null;
  const base = { bytes: length, truncated: true, decoded: first?.decoded ?? null };
  // The field that a part belongs to may be anywhere before it.
  const isUnclear = hasSecretFields && offset > before.length;
  if (isUnclear || isEncoded(head) || (first?.masked && first.text === null))
    return { ...maskedBytes(length), ...base };
  const around = Buffer.concat([before, page, behind]);
  const [from, to] = [before.length, before.length + page.length];
  const isCut = offset + page.length < length && behind.length === 0;
  const find = offset === 0 ? findSpans : findSpansInside;
  const spans = secretSpans(around, options.rules, isCut, find)
    .filter(({ start, end }) => end > from && start < to)
    .map(({ start, end, quoted }) => ({
      start: Math.max(start, from) - from,
      end: Math.min(end, to) - from,
      quoted,
    }));
  const text = textOf(page);
  const isNamed = text === null && namesSecretField(around.toString('latin1'), options.rules);
  const masked = spans.length > 0 || isNamed;
  if (text !== null) return { ...base, text: replaceSpans(page, spans).toString(), base64: null, masked };
  return { ...base, text: null, base64: masked ? null : page.toString('base64'), masked };
};

const kindOf = (
  read: Read,
  shown: ShownBytes,
  { jwt, isBitmap }: { jwt: StringView['jwt']; isBitmap: boolean },
): StringView['kind'] => {
  const { head, page, length } = read;
  if (isHyperLogLog(head)) return 'hyperloglog';
  if (isBitmap) return 'bitmap';
  if (imageType(head)) return 'image';
  if (jwt) return 'jwt';
  const isWhole = page.length === length;
  const text = textOf(isWhole ? page : wholeCharacters(head));
  if (text === null) return 'binary';
  if (isWhole && NUMBER.test(text)) return 'number';
  return isWhole && shown.text !== null && isJson(text) ? 'json' : 'text';
};

const dataUrlOf = async (
  { reader }: Pick<ReadContext, 'reader'>,
  key: Key,
  { head, length }: Read,
): Promise<string | null> => {
  const type = imageType(head);
  if (!type || length > MAX_IMAGE_BYTES) return null;
  const image = await reader.getString(key, MAX_IMAGE_BYTES);
  return image && `data:${type};base64,${image.bytes.toString('base64')}`;
};

export interface StringPage {
  view: StringView;
  /** Where the next page begins; null at the end. */
  next: number | null;
}

/**
 * A page of a string: a value of at most 256 KiB is one page, a longer one has pages of 64 KiB. `hasSecretFields`: the
 * catalog names fields that are secrets; `isBitmap`: that it is one. Throws the server's WRONGTYPE.
 */
export const readStringPage = async (
  ctx: Pick<ReadContext, 'reader'>,
  key: Key,
  place: StringPlace,
  options: ShowOptions & { hasSecretFields: boolean; isBitmap: boolean },
): Promise<StringPage> => {
  const read = await readPage(ctx, key, place);
  const { page, length, head, offset } = read;
  const isWhole = offset === 0 && page.length === length;
  const jwt = isWhole && !options.rules.revealed ? jwtOf(page.toString('latin1'), options.rules) : null;
  const shown = await (isWhole
    ? showBytes({ bytes: page, length }, options)
    : showPart(read, options, options.hasSecretFields));
  const kind = kindOf(read, shown, { jwt, isBitmap: options.isBitmap });
  const countsBits = (kind === 'binary' || kind === 'bitmap') && length <= MAX_BITMAP_BYTES;
  const end = offset + page.length;
  return {
    view: {
      kind,
      offset,
      page: jwt ? maskedBytes(length) : shown,
      dataUrl: shown.masked ? null : await dataUrlOf(ctx, key, read),
      jwt,
      cardinality: isWhole && isHyperLogLog(head) ? cardinalityOf(page) : null,
      bitsSet: countsBits ? await ctx.reader.read(['BITCOUNT', key]) : null,
    },
    next: page.length > 0 && end < length ? end : null,
  };
};
