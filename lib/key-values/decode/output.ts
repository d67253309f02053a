import 'server-only';

/** No decoder returns more than this, whatever its input claims. */
export const MAX_OUTPUT_BYTES = 2 ** 20;

/** What a decoder returned. `truncated`: the rest was not decoded, because of the limit or because the input was cut. */
export interface Decoded {
  bytes: Buffer;
  truncated: boolean;
}

/** Collects output up to the limit. */
export class Output {
  private readonly parts: Uint8Array[] = [];
  private length = 0;

  constructor(private readonly max = MAX_OUTPUT_BYTES) {}

  get isEmpty(): boolean {
    return this.length === 0;
  }

  get isFull(): boolean {
    return this.length >= this.max;
  }

  /** False once there is no more room. */
  add(part: Uint8Array): boolean {
    const room = this.max - this.length;
    this.parts.push(part.length > room ? part.subarray(0, room) : part);
    this.length += Math.min(room, part.length);
    return !this.isFull;
  }

  bytes(): Buffer {
    return Buffer.concat(this.parts);
  }
}
