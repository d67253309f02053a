// The slot of a key in Redis Cluster. Uses Node's own modules only.
export const SLOTS = 16_384;

const crc16 = (bytes) => {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc;
};

/** Only the text between the first brace and the next closing one counts, unless it is empty. */
export const slotOf = (key) => {
  const bytes = Buffer.from(key);
  const start = bytes.indexOf('{') + 1;
  const end = start > 0 ? bytes.indexOf('}', start) : -1;
  return crc16(end > start ? bytes.subarray(start, end) : bytes) % SLOTS;
};
