import 'server-only';
import { textOf } from '@/lib/values/string-value';
import { inflateLz4 } from './lz4';
import { decodeMsgpack } from './msgpack';
import { type Decoded, MAX_OUTPUT_BYTES } from './output';
import { inflate } from './zlib';
import { inflateZstd } from './zstd';

/** Another form of a value: what was undone, in order, and the resulting bytes. */
export interface DecodedValue extends Decoded {
  steps: string[];
}

const MAX_STEPS = 3;
const MIN_BASE64 = 16;

interface Step extends Decoded {
  name: string;
}

const startsWith = (bytes: Buffer, ...magic: number[]): boolean =>
  magic.every((byte, i) => bytes[i] === byte);

const GZIP = [0x1f, 0x8b, 8];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];
const LZ4 = [0x04, 0x22, 0x4d, 0x18];
const MAGICS = [GZIP, ZSTD, LZ4];

const isZlibHeader = (bytes: Buffer): boolean =>
  bytes.length > 6 && (bytes[0]! & 0x8f) === 8 && bytes.readUInt16BE(0) % 31 === 0;

/** Formats that begin with a magic number. */
const byMagic = async (bytes: Buffer, isCut: boolean, max: number): Promise<Step | null> => {
  const named = (name: string, decoded: Decoded | null): Step | null => decoded && { name, ...decoded };
  if (startsWith(bytes, ...GZIP)) return named('gzip', await inflate('gzip', bytes, isCut, max));
  if (startsWith(bytes, ...ZSTD)) return named('zstd', inflateZstd(bytes, isCut, max));
  if (startsWith(bytes, ...LZ4)) return named('lz4', inflateLz4(bytes, isCut, max));
  if (isZlibHeader(bytes)) return named('zlib', await inflate('zlib', bytes, isCut, max));
  return null;
};

/** A pickle runs code when it is loaded: it is named, never decoded. */
const isPickle = (bytes: Buffer): boolean =>
  bytes[0] === 0x80 && bytes[1]! >= 2 && bytes[1]! <= 5 && bytes.at(-1) === 0x2e;

const isText = (bytes: Buffer): boolean => textOf(bytes) !== null;

/** Output without a character that the limit may have divided. */
const wholeText = ({ bytes, truncated }: Decoded): Buffer =>
  truncated && !isText(bytes) ? bytes.subarray(0, -3) : bytes;

/** Formats without a magic number, recognised by a result that makes sense. Complete values only. */
const byResult = async (bytes: Buffer, max: number): Promise<Step | null> => {
  const packed = bytes.length > 1 ? decodeMsgpack(bytes, max) : null;
  if (packed) return { name: 'msgpack', bytes: Buffer.from(packed.text), truncated: packed.truncated };
  for (const name of ['brotli', 'deflate'] as const) {
    const decoded = await inflate(name, bytes, false, max);
    if (
      decoded &&
      decoded.bytes.length > 2 &&
      (!decoded.truncated || max < MAX_OUTPUT_BYTES) &&
      isText(wholeText(decoded))
    )
      return { name, ...decoded };
  }
  return null;
};

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}\s*$/;

/** Base64 of something that is recognised: other text may be base64 by chance. */
const fromBase64 = async (text: string, isCut: boolean, max: number): Promise<Buffer | null> => {
  if (text.length < MIN_BASE64 || !BASE64.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  const isJson = /^\s*[{[]\s*["\d{[\]}tfn-]/.test(bytes.toString('latin1', 0, 64)) && isText(bytes);
  return isJson || (await stepOf(bytes, isCut, max)) ? bytes : null;
};

const isCompressed = (head: Buffer): boolean =>
  MAGICS.some((magic) => startsWith(head, ...magic)) || isZlibHeader(head);

/** Whether a value that begins like this is compressed or base64, so that its later parts are no text of their own. */
export const isEncoded = (head: Buffer): boolean => {
  const text = head.toString('latin1').trim();
  const inner = BASE64.test(text) ? Buffer.from(text, 'base64') : head;
  return (
    isCompressed(inner) || (inner !== head && /^\s*[{[]\s*["\d{[]/.test(inner.toString('latin1', 0, 64)))
  );
};

const stepOf = async (bytes: Buffer, isCut: boolean, max: number): Promise<Step | null> => {
  const step = await byMagic(bytes, isCut, max);
  if (step || isCut || isText(bytes)) return step;
  if (isPickle(bytes)) return { name: 'pickle', bytes: Buffer.alloc(0), truncated: false };
  return byResult(bytes, max);
};

const nextStep = async (bytes: Buffer, isCut: boolean, max: number): Promise<Step | null> => {
  const step = await stepOf(bytes, isCut, max);
  if (step) return step;
  const text = isText(bytes) ? bytes.toString('latin1') : null;
  const inner = text && (await fromBase64(text, isCut, max));
  return inner ? { name: 'base64', bytes: inner, truncated: isCut } : null;
};

/**
 * Undoes up to three encodings of a value: base64, gzip, zlib, deflate, zstd, brotli, LZ4 and MessagePack. At most `max`
 * bytes come out, 1 MiB by default. `isCut`: the bytes are the beginning of a longer value. Null where nothing is recognised. Never throws for
 * what the bytes are.
 */
export const decodeValue = async (
  bytes: Buffer,
  isCut = false,
  max = MAX_OUTPUT_BYTES,
): Promise<DecodedValue | null> => {
  let now: DecodedValue = { steps: [], bytes, truncated: isCut };
  while (now.steps.length < MAX_STEPS) {
    const step = await nextStep(now.bytes, now.truncated, max);
    if (!step) break;
    now = {
      steps: [...now.steps, step.name],
      bytes: step.bytes,
      truncated: now.truncated || step.truncated,
    };
    if (step.name === 'pickle' || step.name === 'msgpack') return now;
  }
  // What is encoded once more was not examined.
  if (now.steps.length === MAX_STEPS && isEncoded(now.bytes)) return { ...now, truncated: true };
  return now.steps.length > 0 ? now : null;
};
