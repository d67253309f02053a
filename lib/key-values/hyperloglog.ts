import 'server-only';

const HEADER_BYTES = 16;
/** 2^14 registers of 6 bits. */
const REGISTERS = 16_384;
const MAX_RANK = 50;
const ALPHA = 1 / (2 * Math.LN2);

export const isHyperLogLog = (bytes: Buffer): boolean =>
  bytes.length >= HEADER_BYTES && bytes.toString('latin1', 0, 4) === 'HYLL' && bytes[4]! <= 1;

const denseCounts = (bytes: Buffer): Float64Array | null => {
  if (bytes.length < HEADER_BYTES + (REGISTERS * 6) / 8) return null;
  const counts = new Float64Array(64);
  for (let i = 0; i < REGISTERS; i++) {
    const at = HEADER_BYTES + ((i * 6) >> 3);
    const shift = (i * 6) & 7;
    const rank = ((bytes[at]! >> shift) | ((bytes[at + 1] ?? 0) << (8 - shift))) & 63;
    counts[rank]!++;
  }
  return counts;
};

/** Runs of registers: `00` and `01` zeros (6 and 14 bits), `1` a rank and its length. */
const sparseCounts = (bytes: Buffer): Float64Array | null => {
  const counts = new Float64Array(64);
  let covered = 0;
  for (let at = HEADER_BYTES; at < bytes.length; at++) {
    const code = bytes[at]!;
    const isRank = (code & 0x80) !== 0;
    const isLong = !isRank && (code & 0x40) !== 0;
    if (isLong) at++;
    const short = isRank ? (code & 3) + 1 : (code & 0x3f) + 1;
    const length = isLong ? ((code & 0x3f) << 8) + (bytes[at] ?? 0) + 1 : short;
    counts[isRank ? ((code >> 2) & 31) + 1 : 0]! += length;
    covered += length;
  }
  return covered === REGISTERS ? counts : null;
};

const sigma = (share: number): number => {
  if (share === 1) return Number.POSITIVE_INFINITY;
  let [x, y, z, before] = [share, 1, share, -1];
  while (z !== before) {
    x *= x;
    before = z;
    z += x * y;
    y += y;
  }
  return z;
};

const tau = (share: number): number => {
  if (share === 0 || share === 1) return 0;
  let [x, y, z, before] = [share, 1, 1 - share, -1];
  while (z !== before) {
    x = Math.sqrt(x);
    before = z;
    y *= 0.5;
    z -= (1 - x) ** 2 * y;
  }
  return z / 3;
};

/**
 * The cardinality of a complete HyperLogLog, by Ertl's estimator as in Redis; null where it is damaged. PFCOUNT would
 * store the result in the key, so it is a write.
 */
export const cardinalityOf = (bytes: Buffer): number | null => {
  const counts = bytes[4] === 0 ? denseCounts(bytes) : sparseCounts(bytes);
  if (!counts) return null;
  let z = REGISTERS * tau((REGISTERS - counts[MAX_RANK + 1]!) / REGISTERS);
  for (let rank = MAX_RANK; rank >= 1; rank--) z = 0.5 * (z + counts[rank]!);
  z += REGISTERS * sigma(counts[0]! / REGISTERS);
  return Math.round((ALPHA * REGISTERS * REGISTERS) / z);
};
