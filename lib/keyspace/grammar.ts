import { byteTable, encodeText, isUtf8 } from './bytes';

/**
 * The syntax of a key's parameter: a byte class with length bounds, plus at most one linear check of the run that was
 * found, so there is no backtracking.
 */
export interface Grammar {
  readonly name: string;
  /** Describes the parameter to users. */
  readonly description: string;
  /** Non-zero at every byte the parameter may contain. */
  readonly table: Uint8Array;
  /** Bounds in bytes; `min` is at least 1: parameters are never empty. */
  readonly min: number;
  readonly max: number;
  readonly ascii: boolean;
  /** A further check of a run whose bytes and length match. */
  accepts?(bytes: Uint8Array, start: number, end: number): boolean;
  /** Start of the parameter that ends at `end`, or -1, for grammars that find their own beginning. */
  startBefore?(bytes: Uint8Array, low: number, end: number): number;
  /** How to generate one, for overlap detection and for property tests. */
  readonly shape: Shape;
}

export type Shape =
  | { kind: 'chars'; chars: string }
  | { kind: 'text'; except: string }
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'jwt' }
  | { kind: 'uuid' }
  | { kind: 'pairs' }
  | { kind: 'legacy-token' };

export const DIGITS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const LETTERS = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${LOWER}`;
const WORD = `${LETTERS}${DIGITS}_`;
const BASE64URL = `${WORD}-`;

/** A run of ASCII characters from `chars`. Bounds in bytes. */
export const chars = (
  name: string,
  allowed: string,
  bounds: { min?: number; max: number },
  description: string,
): Grammar => ({
  name,
  description,
  table: byteTable(allowed),
  min: bounds.min ?? 1,
  max: bounds.max,
  ascii: true,
  shape: { kind: 'chars', chars: allowed },
});

/** Valid UTF-8 without the characters of `except` (ASCII only). Unbounded unless `max` is given. */
export const text = (name: string, except: string, description: string, max = Infinity): Grammar => {
  const table = new Uint8Array(256).fill(1);
  for (const byte of encodeText(except)) table[byte] = 0;
  return {
    name,
    description,
    table,
    min: 1,
    max,
    ascii: false,
    accepts: isUtf8,
    shape: { kind: 'text', except },
  };
};

/** One of a closed list of ASCII words. */
export const oneOf = (name: string, words: readonly string[]): Grammar => {
  const encoded = words.map(encodeText);
  return {
    name,
    description: `one of ${words.join(', ')}`,
    table: byteTable(words.join('')),
    min: Math.min(...words.map((word) => word.length)),
    max: Math.max(...words.map((word) => word.length)),
    ascii: true,
    accepts: (bytes, start, end) =>
      encoded.some(
        (word) => word.length === end - start && word.every((byte, i) => bytes[start + i] === byte),
      ),
    shape: { kind: 'words', words },
  };
};

const CONTROLS = String.fromCharCode(...Array.from({ length: 32 }, (_, code) => code), 0x7f);

/** A numeric id. 32 digits are more than any 64-bit id needs. */
export const digits = chars('digits', DIGITS, { max: 32 }, 'decimal digits');
export const hex24 = chars('hex24', `${DIGITS}abcdefABCDEF`, { min: 24, max: 24 }, '24 hexadecimal digits');
export const hex = chars('hex', `${DIGITS}abcdefABCDEF`, { max: 256 }, 'hexadecimal digits');
/** A random token as web frameworks generate them: base64, base64url, hex, uuid or a numeric code. */
export const token = chars('token', `${BASE64URL}.~+/=`, { max: 4096 }, 'an opaque token without ":"');
/** Identifiers that the console itself generates: uuid, base64url digest, stream id. */
export const ownId = chars('own-id', BASE64URL, { max: 128 }, 'letters, digits, "_" and "-"');
/** A connection's id (configuration: `[a-z0-9-]+`). */
export const connectionId = chars('connection', `${LOWER}${DIGITS}-`, { max: 64 }, 'a connection id');
export const word = chars('word', BASE64URL, { max: 64 }, 'a word: letters, digits, "_" and "-"');
/** One colon-separated segment of UTF-8 text. */
export const segment = text('segment', `:${CONTROLS}`, 'text without ":" and control characters');
/** Like `segment`, also without the separator that follows it, so that it ends there. */
export const segmentBefore = (separator: string): Grammar => {
  const known = segments.get(separator);
  if (known) return known;
  const description = `text without ":", "${separator}" and control characters`;
  const made = text('segment', `:${separator}${CONTROLS}`, description);
  segments.set(separator, made);
  return made;
};
/** One grammar per separator, so that patterns with a common beginning share their work. */
const segments = new Map<string, Grammar>();
/** Everything to the end (or to the parts that follow), including `:` and control characters. */
export const anyText = text('text', '', 'any UTF-8 text');
export const plainText = text('plain-text', CONTROLS, 'UTF-8 text without control characters');

/** Eight, four, four, four and twelve hexadecimal digits, joined by dashes. */
export const uuid: Grammar = {
  ...chars('uuid', `${DIGITS}abcdefABCDEF-`, { min: 36, max: 36 }, 'a UUID'),
  accepts: (bytes, start) => {
    for (let i = 0; i < 36; i++) if ((bytes[start + i] === 0x2d) !== UUID_DASHES.has(i)) return false;
    return true;
  },
  shape: { kind: 'uuid' },
};
const UUID_DASHES = new Set([8, 13, 18, 23]);

const JWT_TABLE = byteTable(`${BASE64URL}.`);
const DOT = 0x2e;
const DASH = 0x2d;
const EQUALS = 0x3d;
const COLON = 0x3a;

/** Three non-empty base64url parts joined by dots (RFC 7519). The parts are not decoded. */
export const jwt: Grammar = {
  name: 'jwt',
  description: 'a JWT: three base64url parts joined by dots',
  table: JWT_TABLE,
  min: 5,
  max: 16_384,
  ascii: true,
  accepts: (bytes, start, end) => {
    let dots = 0;
    let partStart = start;
    for (let at = start; at < end; at++) {
      if (bytes[at] !== DOT) continue;
      if (at === partStart) return false;
      dots++;
      partStart = at + 1;
    }
    return dots === 2 && partStart < end;
  },
  shape: { kind: 'jwt' },
};

/** `name=value` joined by `:`, as the publishing platform's query keys. Names are words; a value may be empty. */
export const pairs: Grammar = {
  name: 'pairs',
  description: 'name=value pairs joined by ":"',
  table: text('', CONTROLS, '').table,
  min: 2,
  max: Infinity,
  ascii: false,
  accepts: (bytes, start, end) => {
    let at = start;
    while (at <= end) {
      const nameStart = at;
      while (at < end && WORD_TABLE[bytes[at]!] === 1) at++;
      if (at === nameStart || at >= end || bytes[at] !== EQUALS) return false;
      while (at < end && bytes[at] !== COLON) at++;
      at++;
    }
    return isUtf8(bytes, start, end);
  },
  shape: { kind: 'pairs' },
};
const WORD_TABLE = byteTable(`${BASE64URL}.`);
const LEGACY_TABLE = byteTable(WORD);

/** Start of the JWT that ends at `end`: its header contains no dash (base64url of ASCII JSON) and starts with `eyJ`. */
const jwtStartBefore = (bytes: Uint8Array, low: number, end: number): number => {
  let at = end;
  for (let dots = 0; at > low; at--) {
    const byte = bytes[at - 1]!;
    if (byte === DASH && dots === 2) break;
    if (byte === DOT && ++dots > 2) return -1;
    if (JWT_TABLE[byte] === 0) return -1;
  }
  const header = bytes[at] === 0x65 && bytes[at + 1] === 0x79 && bytes[at + 2] === 0x4a;
  return header && jwt.accepts?.(bytes, at, end) ? at : -1;
};

/**
 * The token of a legacy session key `{user_id}-{username}-{token}`: a JWT whose header starts `eyJ`, else the last
 * dash-separated part when it is 16 or more of `[A-Za-z0-9_]`. User names may contain dashes; short or worded keys such
 * as `2024-12-export` do not match. An opaque token with dashes is split at its last dash, so display masks from the
 * first.
 */
export const legacyToken: Grammar = {
  name: 'legacy-token',
  description: 'a JWT, or 16 or more letters, digits and "_"',
  table: JWT_TABLE,
  min: 16,
  max: 16_384,
  ascii: true,
  accepts: (bytes, start, end) => legacyToken.startBefore?.(bytes, start, end) === start,
  startBefore: (bytes, low, end) => {
    const jwtStart = jwtStartBefore(bytes, low, end);
    if (jwtStart >= 0) return jwtStart;
    let at = end;
    while (at > low && LEGACY_TABLE[bytes[at - 1]!] === 1) at--;
    return at === low || bytes[at - 1] === DASH ? at : -1;
  },
  shape: { kind: 'legacy-token' },
};
