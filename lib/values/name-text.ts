import 'server-only';
import { utf8SequenceLength } from '@/lib/keyspace/bytes';
import { EMPTY_NAME } from './schema';

const escapeByte = (byte: number): string => `\\x${byte.toString(16).padStart(2, '0')}`;
const ESCAPED = /\\x(?:([0-9a-f]{2})|\{\})/g;
const BACKSLASH = 0x5c;

const isControl = (byte: number): boolean => byte < 0x20 || byte === 0x7f;

/** A backslash that would read as an escape must be escaped itself, so different names stay different. */
const beginsEscape = (bytes: Buffer, at: number): boolean =>
  bytes[at] === BACKSLASH && /^\\x([0-9a-f]{2}|\{\})$/.test(bytes.toString('latin1', at, at + 4));

/**
 * A name's bytes as text: UTF-8, with `\xNN` for control characters and invalid UTF-8, and `EMPTY_NAME` for no bytes.
 * `nameBytes` is the inverse.
 */
export const nameOf = (bytes: Buffer): string => {
  if (bytes.length === 0) return EMPTY_NAME;
  let out = '';
  for (let at = 0; at < bytes.length; ) {
    const length = utf8SequenceLength(bytes, at, bytes.length);
    const plain = length > 1 || (length === 1 && !isControl(bytes[at]!) && !beginsEscape(bytes, at));
    const next = at + Math.max(length, 1);
    out += plain ? bytes.toString('utf8', at, next) : escapeByte(bytes[at]!);
    at = next;
  }
  return out;
};

/** Inverse of `nameOf`; null for text that `nameOf` never returns. */
export const nameBytes = (name: string): Buffer | null => {
  const parts: Buffer[] = [];
  let from = 0;
  for (const match of name.matchAll(ESCAPED)) {
    parts.push(Buffer.from(name.slice(from, match.index)), Buffer.from(match[1] ?? '', 'hex'));
    from = match.index + match[0].length;
  }
  const bytes = Buffer.concat([...parts, Buffer.from(name.slice(from))]);
  return nameOf(bytes) === name ? bytes : null;
};
