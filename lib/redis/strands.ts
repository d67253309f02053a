import 'server-only';

/** A number's 32 bits, the other way round. */
const reverse32 = (word: number): number => {
  let bits = word;
  bits = ((bits >>> 1) & 0x55555555) | ((bits & 0x55555555) << 1);
  bits = ((bits >>> 2) & 0x33333333) | ((bits & 0x33333333) << 2);
  bits = ((bits >>> 4) & 0x0f0f0f0f) | ((bits & 0x0f0f0f0f) << 4);
  bits = ((bits >>> 8) & 0x00ff00ff) | ((bits & 0x00ff00ff) << 8);
  return ((bits >>> 16) | (bits << 16)) >>> 0;
};

const WORD = 2 ** 32;

/**
 * The share of a table that SCAN has behind it at a cursor, 0–1 (0 for `0`, which is also the end). SCAN counts the
 * bits of a bucket's number from the highest down, so that the cursor's reversed bits are the fraction, whatever
 * the size of the table.
 */
export const shareOfCursor = (cursor: string): number => {
  const whole = BigInt(cursor);
  const [low, high] = [Number(whole & 0xffff_ffffn), Number(whole >> 32n)];
  return reverse32(low) / WORD + reverse32(high) / WORD / WORD;
};

/** The cursor at which this share lies behind; for shares of few bits. */
const cursorOfShare = (share: number): string => String(reverse32(share * WORD));

/** One call of SCAN, and what it gave. */
export interface Ask {
  cursor: string;
  count: number;
}
export interface Given<T> {
  /** `0` after the last. */
  next: string;
  /** How many keys were looked at; as many as there are items unless said. */
  examined?: number;
  /** Each with the bytes that tell it from others. */
  items: readonly T[];
}

/** What all strands of a lane ask for together. */
export interface Turn<T> {
  asks: Ask[];
  /** Goes on by what the calls gave, in their order. Returns their items, without those that two strands met. */
  take(given: readonly Given<T>[]): T[];
}

interface Strand {
  readonly lane: number;
  at: string;
  share: number;
  readonly end: number;
  over: boolean;
  /** What its first call gave, by id; null before it. */
  began: Set<string> | null;
  following: Strand | null;
}

const STRANDS = 16;
/** Where there are fewer keys, or a call asks for fewer, one strand does. */
const LEAST_SIZE = 50_000;
const LEAST_PER_STRAND = 32;
/** A call may lead this many times as far as its count lets expect, and this many keys further. */
const LEAP = 8;
const SLACK = 64;

const begin = (many: number, lanes: number): Strand[] => {
  const strands = Array.from({ length: many }, (_, i): Strand => {
    const share = i / many;
    const place = { at: cursorOfShare(share), share, end: (i + 1) / many };
    return { ...place, lane: i % lanes, over: false, began: null, following: null };
  });
  for (const [i, strand] of strands.entries()) strand.following = strands[i + 1] ?? null;
  return strands;
};

/**
 * One walk through a server's table, in several places side by side. A bucket's number is its share with the bits
 * reversed, so that a SCAN alone hops through memory and misses the processor's caches at each bucket. Strands that
 * begin at sixteenths hop along together, through buckets that are neighbours: a quarter less work for the server.
 * Two lanes, of every other strand, take turns: the server works for one while what it gave to the other is looked at.
 *
 * This leans on what a cursor is in Redis and Valkey, and looks whether it is: where a call leads back, or further than
 * its count can (another kind of server, or a table that was emptied), the walk begins again as a single strand.
 */
export class Strands<T> {
  private strands: Strand[] = [];
  private several = false;
  private readonly size: number;
  private readonly perTurn: number;
  private readonly lanes: number;
  private readonly idOf: (item: T) => string;

  /** `size`: keys of the server; `perTurn`: keys asked for in a turn; `idOf`: tells an item from others. */
  constructor(
    { size, perTurn, lanes }: { size: number; perTurn: number; lanes: 1 | 2 },
    idOf: (item: T) => string,
  ) {
    this.size = size;
    this.perTurn = perTurn;
    this.lanes = lanes;
    this.idOf = idOf;
    this.start(size >= LEAST_SIZE && perTurn >= STRANDS * LEAST_PER_STRAND ? STRANDS : 1);
  }

  private start(many: number): void {
    this.strands = begin(many, this.lanes);
    this.several = many > 1;
  }

  get done(): boolean {
    return this.strands.every(({ over }) => over);
  }

  /** The share of the table that was gone through, 0–1. */
  get share(): number {
    return this.strands.reduce((share, { over, end, share: at }) => (over ? share : share - (end - at)), 1);
  }

  /** The next calls of a lane; null when there are none. They get smaller towards a strand's end, not to go beyond. */
  turn(lane: number): Turn<T> | null {
    const each = this.several ? Math.floor((this.perTurn * this.lanes) / STRANDS) : this.perTurn;
    const strands = this.strands.filter((strand) => strand.lane === lane && !strand.over);
    if (strands.length === 0) return null;
    const asks = strands.map(({ at, share, end }): Ask => {
      const left = Math.floor(((end - share) * this.size) / 2);
      return { cursor: at, count: end === 1 ? each : Math.max(1, Math.min(each, left)) };
    });
    return { asks, take: (given) => this.take(strands, asks, given) };
  }

  private take(strands: readonly Strand[], asks: readonly Ask[], given: readonly Given<T>[]): T[] {
    let sound = true;
    const items = strands.flatMap((strand, i) => {
      const { next, items: found } = given[i]!;
      const reached = next === '0' ? 1 : shareOfCursor(next);
      const most = LEAP * asks[i]!.count + SLACK;
      sound &&= reached > strand.share && (reached - strand.share) * this.size <= most;
      strand.began ??= new Set(strand.share > 0 ? found.map(this.idOf) : []);
      const beyond = reached > strand.end ? strand.following?.began : null;
      strand.at = next;
      strand.share = Math.min(reached, strand.end);
      // The last one ends where the server says so, whatever its cursors look like.
      strand.over = next === '0' || (reached >= strand.end && strand.end < 1);
      return beyond ? found.filter((item) => !beyond.has(this.idOf(item))) : found;
    });
    // A turn from before the walk began again has nothing to say of how it goes on.
    if (this.several && !sound && this.strands.includes(strands[0]!)) this.start(1);
    return items;
  }
}
