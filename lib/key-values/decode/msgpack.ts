import 'server-only';
import { MAX_OUTPUT_BYTES } from './output';

/** A value that has been read: text of JSON, or a container with this many values. */
type Item = { text: string } | { open: 'array' | 'map'; values: number };

const textOf = (bytes: Buffer): string => JSON.stringify(bytes.toString('utf8'));
const binary = (bytes: Buffer): string => JSON.stringify(bytes.toString('base64'));

const number = (value: number | bigint): string =>
  typeof value === 'number' && !Number.isFinite(value) ? JSON.stringify(String(value)) : String(value);

/** Reads values one after the other. Throws a RangeError at the end of the input, and for the byte that has no meaning. */
class Values {
  at = 0;

  constructor(private readonly input: Buffer) {}

  private uint(bytes: number): number {
    const value = this.input.readUIntBE(this.at, bytes);
    this.at += bytes;
    return value;
  }

  private take(length: number): Buffer {
    if (this.at + length > this.input.length) throw new RangeError('cut');
    this.at += length;
    return this.input.subarray(this.at - length, this.at);
  }

  /** Each value needs a byte, so no container may claim more than are left. */
  private open(kind: 'array' | 'map', size: number): Item {
    const values = kind === 'map' ? 2 * size : size;
    if (values > this.input.length - this.at) throw new RangeError('cut');
    return { open: kind, values };
  }

  private extension(length: number): Item {
    const type = this.take(1).readInt8(0);
    return { text: `{"ext":${type},"base64":${binary(this.take(length))}}` };
  }

  next(): Item {
    const code = this.uint(1);
    if (code < 0x80) return { text: number(code) };
    if (code < 0x90) return this.open('map', code & 15);
    if (code < 0xa0) return this.open('array', code & 15);
    if (code < 0xc0) return { text: textOf(this.take(code & 31)) };
    if (code >= 0xe0) return { text: number(code - 256) };
    const read = READERS[code - 0xc0];
    if (!read) throw new RangeError('unused');
    return read(this);
  }

  static readonly READERS: readonly (((values: Values) => Item) | null)[] = [
    () => ({ text: 'null' }),
    null,
    () => ({ text: 'false' }),
    () => ({ text: 'true' }),
    ...[1, 2, 4].map((size) => (v: Values) => ({ text: binary(v.take(v.uint(size))) })),
    ...[1, 2, 4].map((size) => (v: Values) => v.extension(v.uint(size))),
    (v) => ({ text: number(v.take(4).readFloatBE(0)) }),
    (v) => ({ text: number(v.take(8).readDoubleBE(0)) }),
    ...[1, 2, 4].map((size) => (v: Values) => ({ text: number(v.uint(size)) })),
    (v) => ({ text: number(v.take(8).readBigUInt64BE(0)) }),
    ...[1, 2, 4].map((size) => (v: Values) => ({ text: number(v.take(size).readIntBE(0, size)) })),
    (v) => ({ text: number(v.take(8).readBigInt64BE(0)) }),
    ...[1, 2, 4, 8, 16].map((size) => (v: Values) => v.extension(size)),
    ...[1, 2, 4].map((size) => (v: Values) => ({ text: textOf(v.take(v.uint(size))) })),
    ...[2, 4].map((size) => (v: Values) => v.open('array', v.uint(size))),
    ...[2, 4].map((size) => (v: Values) => v.open('map', v.uint(size))),
  ];
}
const { READERS } = Values;

interface Open {
  kind: 'array' | 'map';
  left: number;
  size: number;
}

/** What stands before the next value of a container. */
const separator = ({ kind, left, size }: Open): string => {
  if (kind === 'map' && (size - left) % 2 === 1) return ':';
  return left === size ? '' : ',';
};

const asKey = (text: string): string => (text.startsWith('"') ? text : JSON.stringify(text));

/**
 * MessagePack as JSON text; binary data as base64. Null where the input is not exactly one map or array. Allocates nothing
 * that the input claims: of the packages, @msgpack/msgpack does for each nested array, and msgpackr runs `new Function` for records.
 */
export const decodeMsgpack = (
  input: Buffer,
  max = MAX_OUTPUT_BYTES,
): { text: string; truncated: boolean } | null => {
  const values = new Values(input);
  const stack: Open[] = [];
  const out: string[] = [];
  let length = 0;
  const write = (text: string): void => {
    out.push(text);
    length += text.length;
  };
  try {
    do {
      const open = stack.at(-1);
      const isKey = open?.kind === 'map' && open.left % 2 === 0;
      if (open) write(separator(open));
      const item = values.next();
      if (open) open.left -= 1;
      else if (!('open' in item)) return null;
      if ('text' in item) write(isKey ? asKey(item.text) : item.text);
      else {
        // A container as a key has no form in JSON.
        if (isKey) return null;
        write(item.open === 'map' ? '{' : '[');
        stack.push({ kind: item.open, left: item.values, size: item.values });
      }
      while (stack.at(-1)?.left === 0) write(stack.pop()!.kind === 'map' ? '}' : ']');
    } while (stack.length > 0 && length < max);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
  if (stack.length === 0 && values.at !== input.length) return null;
  return { text: out.join('').slice(0, max), truncated: stack.length > 0 || length > max };
};
