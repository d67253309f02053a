import 'server-only';

/** What DUMP writes: the value, two bytes with the version of its format, and a CRC-64 of both. */

/** The polynomial of Redis (Jones), reflected, as two halves. */
const [POLY_HIGH, POLY_LOW] = [0x95ac9329, 0xac4bc9b5];
const HIGH = new Uint32Array(256);
const LOW = new Uint32Array(256);
for (let i = 0; i < 256; i++) {
  let [high, low] = [0, i];
  for (let bit = 0; bit < 8; bit++) {
    const odd = low & 1;
    low = ((low >>> 1) | (high << 31)) >>> 0;
    high >>>= 1;
    if (odd) [high, low] = [(high ^ POLY_HIGH) >>> 0, (low ^ POLY_LOW) >>> 0];
  }
  [HIGH[i], LOW[i]] = [high, low];
}

/** CRC-64 as Redis computes it, in the byte order of a DUMP. */
export const crc64 = (bytes: Uint8Array): Buffer => {
  let [high, low] = [0, 0];
  for (let i = 0; i < bytes.length; i++) {
    const at = (low ^ bytes[i]!) & 0xff;
    low = (((low >>> 8) | (high << 24)) ^ LOW[at]!) >>> 0;
    high = ((high >>> 8) ^ HIGH[at]!) >>> 0;
  }
  const out = Buffer.alloc(8);
  out.writeUInt32LE(low, 0);
  out.writeUInt32LE(high, 4);
  return out;
};

const CHECK_BYTES = 8;
const MIN_BYTES = 1 + 2 + CHECK_BYTES;

/** The first byte of a DUMP, of the types that can be edited; others are of modules or newer servers. */
const TYPES: Readonly<Record<number, string>> = {
  0: 'string',
  1: 'list',
  2: 'set',
  3: 'zset',
  4: 'hash',
  5: 'zset',
  9: 'hash',
  10: 'list',
  11: 'set',
  12: 'zset',
  13: 'hash',
  14: 'list',
  15: 'stream',
  16: 'hash',
  17: 'zset',
  18: 'list',
  19: 'stream',
  20: 'set',
  21: 'stream',
};

/** Why these bytes cannot be a DUMP of this type; null if they can. */
export const dumpProblem = (dump: Buffer, type: string): string | null => {
  if (dump.length < MIN_BYTES) return 'The value is truncated.';
  if (!crc64(dump.subarray(0, -CHECK_BYTES)).equals(dump.subarray(-CHECK_BYTES)))
    return 'The value is damaged: its checksum does not match.';
  const found = TYPES[dump[0]!];
  return found !== undefined && found !== type ? `The value is a ${found}, not what the line says.` : null;
};
