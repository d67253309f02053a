import 'server-only';
import { cutName, displayBytes, maskedName } from '@/lib/keyspace/display';
import { lastRunStart, looksSecret, MASK } from '@/lib/keyspace/mask';
import type { Registry } from '@/lib/keyspace/registry';
import { looksLikeKeyBytes } from '@/lib/values/key-bytes';
import { textOf } from '@/lib/values/string-value';
import { decodeValue, isEncoded } from './decode/decode';
import type { Cut } from './etag';
import type { ShownBytes } from './schema';
import { findSpans, type findSpansInside, type MaskRules, namesSecretField, type Span } from './secret-spans';

/** Characters of a decoded form in an answer; of elements there are many. */
const MAX_DECODED_CHARS = 256 * 1024;
export const MAX_ELEMENT_CHARS = 16 * 1024;
/** A member may be a key; longer ones are not compared with the catalog. */
const MAX_KEY_BYTES = 4096;
/** Binary values up to this length may be keys of an encryption; longer ones are data. */
const MAX_SECRET_KEY_BYTES = 64;

export interface ShowOptions {
  catalog: Registry;
  rules: MaskRules;
  /** Whether decoded forms are wanted. */
  decode: boolean;
  /** The complete value is one secret if it looks like one. */
  isSingleValue?: boolean;
  maxDecodedChars?: number;
  /** Shared by the elements of an answer. */
  decoding?: DecodingBudget;
}

/** What decoding elements may still cost: each of them could be a bomb. */
export interface DecodingBudget {
  bytesLeft: number;
  /** Elapsed time, in which what is decoded at the same moment counts once. */
  msLeft: number;
  running?: { count: number; countedTo: number };
}

const MAX_ELEMENT_DECODED_BYTES = 64 * 1024;
/** Enough to recognise an encoding, once the others have used the budget. */
const MIN_DECODED_BYTES = 256;

const decodeWithin = async (bytes: Buffer, isCut: boolean, budget: DecodingBudget | undefined) => {
  if (!budget) return decodeValue(bytes, isCut);
  const max = Math.max(MIN_DECODED_BYTES, Math.min(MAX_ELEMENT_DECODED_BYTES, budget.bytesLeft));
  budget.running ??= { count: 0, countedTo: 0 };
  const { running } = budget;
  if (running.count === 0) running.countedTo = performance.now();
  running.count += 1;
  const value = await decodeValue(bytes, isCut, max);
  const now = performance.now();
  budget.bytesLeft -= value?.bytes.length ?? 0;
  budget.msLeft -= now - running.countedTo;
  running.countedTo = now;
  running.count -= 1;
  return value;
};

const NOTHING = { text: null, base64: null, decoded: null };

/** A value of which nothing is shown. */
export const maskedBytes = (length: number): ShownBytes => ({
  ...NOTHING,
  bytes: length,
  truncated: false,
  masked: true,
});

/** Replaces spans of bytes by the mask. */
export const replaceSpans = (bytes: Buffer, spans: readonly Span[]): Buffer => {
  if (spans.length === 0) return bytes;
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, quoted } of spans) {
    if (start < at) continue;
    parts.push(bytes.subarray(at, start), Buffer.from(quoted ? `"${MASK}"` : MASK));
    at = end;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]);
};

const MIN_LAST_RUN = 8;

/** An encoding, up to three bytes of a character that was cut. */
const CUT_CHARACTER = /[\xc0-\xff][\x80-\xbf]{0,2}$/;

/** The bytes without a character that a cut divided. */
export const wholeCharacters = (bytes: Buffer): Buffer => {
  if (textOf(bytes) !== null) return bytes;
  const found = CUT_CHARACTER.exec(bytes.toString('latin1', Math.max(0, bytes.length - 3)));
  const shorter = found ? bytes.subarray(0, bytes.length - found[0].length) : bytes;
  return textOf(shorter) === null ? bytes : shorter;
};

/**
 * Where secrets are in bytes. The last run of cut text may be the beginning of one, too short to be recognised: strictly,
 * it is one.
 */
export const secretSpans = (
  bytes: Buffer,
  rules: MaskRules,
  isCut: boolean,
  find: typeof findSpansInside = findSpans,
): Span[] => {
  const text = bytes.toString('latin1');
  const spans = find(text, rules);
  if (!isCut || !rules.strict) return spans;
  const start = lastRunStart(text);
  if (text.length - start < MIN_LAST_RUN || spans.some(({ end }) => end > start)) return spans;
  return [...spans, { start, end: text.length, quoted: false }];
};

/** The name for display, where the bytes are a key with a secret in its name. */
export const namedSecretKey = (bytes: Buffer, catalog: Registry): string | null => {
  if (bytes.length > MAX_KEY_BYTES) return null;
  const { family, secretOf, candidate } = catalog.locate(bytes);
  const isNamed = family?.sensitive !== undefined || family?.innerKey !== undefined;
  const isOne = secretOf !== null || (candidate === null && isNamed);
  const name = isOne ? maskedName(bytes, catalog) : '';
  return name.includes(MASK) ? cutName(name) : null;
};

interface Form {
  shown: NonNullable<ShownBytes['decoded']>;
  /** Nothing in it is masked, and all of it was examined. */
  isClear: boolean;
}

const decodedForm = async (
  bytes: Buffer,
  isCut: boolean,
  { rules, maxDecodedChars = MAX_DECODED_CHARS, decoding }: ShowOptions,
): Promise<Form | null> => {
  const value = await decodeWithin(bytes, isCut, decoding);
  if (!value) return null;
  const spans = secretSpans(value.bytes, rules, value.truncated);
  const masked = replaceSpans(value.bytes, spans);
  const text = textOf(wholeCharacters(masked)) ?? displayBytes(masked, maxDecodedChars);
  const isLong = text.length > maxDecodedChars;
  return {
    shown: {
      steps: value.steps,
      text: isLong ? text.slice(0, maxDecodedChars) : text,
      truncated: value.truncated || isLong,
    },
    isClear: spans.length === 0 && (!value.truncated || rules.revealed === true),
  };
};

/**
 * Bytes for an answer, with secrets masked in every form of them: where the decoded form has a secret, or was not
 * examined completely, the bytes that it comes from are masked too.
 */
export const showBytes = async ({ bytes: read, length }: Cut, options: ShowOptions): Promise<ShownBytes> => {
  const isCut = read.length < length;
  const base = { bytes: length, truncated: isCut };
  const { catalog, rules, isSingleValue } = options;
  const name = isCut ? null : namedSecretKey(read, catalog);
  if (name !== null) return { ...base, ...NOTHING, text: name, masked: true };
  const whole = isCut ? wholeCharacters(read) : read;
  const text = textOf(whole);
  if (isSingleValue && text !== null && looksSecret(text)) return { ...base, ...NOTHING, masked: true };
  // What there is no time to decode may hold a secret.
  if (options.decoding && options.decoding.msLeft <= 0 && (text === null || isEncoded(read)))
    return { ...base, ...NOTHING, masked: true };
  const form = await decodedForm(read, isCut, options);
  const decoded = options.decode && form ? form.shown : null;
  // Without decoding, compressed secrets would be handed out for others to decode.
  if (form && !form.isClear) return { ...base, ...NOTHING, decoded, masked: true };
  const spans = secretSpans(whole, rules, isCut);
  if (text !== null)
    return {
      ...base,
      ...NOTHING,
      text: spans.length > 0 ? textOf(replaceSpans(whole, spans)) : text,
      decoded,
      masked: spans.length > 0,
    };
  const isKey = rules.strict && !form && length <= MAX_SECRET_KEY_BYTES && looksLikeKeyBytes(read);
  const isStructure = form !== null && !form.shown.steps.includes('pickle');
  const isNamed = !isStructure && namesSecretField(read.toString('latin1'), rules);
  const masked = spans.length > 0 || isKey || isNamed;
  return { ...base, ...NOTHING, base64: masked ? null : read.toString('base64'), decoded, masked };
};
