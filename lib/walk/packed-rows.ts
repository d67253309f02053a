import 'server-only';

/** The length of an array's head, which contains the number of elements. */
const headBytes = (first: number | undefined): number => {
  if (first === 0xdd) return 5;
  return first === 0xdc ? 3 : 1;
};

/**
 * Reads an array of integers and byte strings in the format of the server's cmsgpack (msgpack.org, spec). Integers
 * beyond 2⁵³ lose precision. Throws RangeError where the bytes end early, TypeError for any other type.
 */
export class PackedRows {
  private at: number;

  constructor(private readonly packed: Buffer) {
    this.at = headBytes(packed[0]);
  }

  get hasMore(): boolean {
    return this.at < this.packed.length;
  }

  /** A view of the packed bytes. */
  bytes(): Buffer {
    const { packed } = this;
    const first = packed.readUInt8(this.at);
    let from = this.at + 1;
    let length = first & 0x1f;
    if (first === 0xd9) {
      length = packed.readUInt8(from);
      from += 1;
    } else if (first === 0xda) {
      length = packed.readUInt16BE(from);
      from += 2;
    } else if (first === 0xdb) {
      length = packed.readUInt32BE(from);
      from += 4;
    } else if (first >> 5 !== 0b101) throw new TypeError(`No string begins with ${first}.`);
    this.at = from + length;
    if (this.at > packed.length) throw new RangeError('The string is longer than what is packed.');
    return packed.subarray(from, this.at);
  }

  integer(): number {
    const { packed } = this;
    const first = packed.readUInt8(this.at);
    const from = this.at + 1;
    if (first < 0x80 || first >= 0xe0) {
      this.at = from;
      return first < 0x80 ? first : first - 0x100;
    }
    const bytes = 2 ** (first & 0b11);
    this.at = from + bytes;
    if (first >= 0xcc && first <= 0xcf)
      return bytes === 8 ? Number(packed.readBigUInt64BE(from)) : packed.readUIntBE(from, bytes);
    if (first >= 0xd0 && first <= 0xd3)
      return bytes === 8 ? Number(packed.readBigInt64BE(from)) : packed.readIntBE(from, bytes);
    throw new TypeError(`No integer begins with ${first}.`);
  }
}
