import 'server-only';

/** A field of a hash of counters with its count as digits, which are exact whatever their size. */
export interface Count {
  field: Buffer;
  digits: string;
}

const compareDigits = (a: string, b: string): number => {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

/** Heaviest first; equal counts in byte order, so that rows keep their place. */
export const heaviestFirst = (a: Count, b: Count): number =>
  compareDigits(b.digits, a.digits) || Buffer.compare(a.field, b.field);

export const isAtLeast = ({ digits }: Count, threshold: number): boolean =>
  compareDigits(digits, String(threshold)) >= 0;

/** The `most` heaviest of many counts in bounded memory. A field that comes twice keeps its later count. */
export class Heaviest {
  private found = new Map<string, Count>();
  private minDigits: string | null = null;

  /** `after`: only counts that come after it in the order. */
  constructor(
    private readonly most: number,
    private readonly after: Count | null,
  ) {}

  /** A count up to this cannot be among the heaviest; -1 while any can. */
  get threshold(): string {
    return this.minDigits ?? '-1';
  }

  offer(count: Count): void {
    if (this.after && heaviestFirst(this.after, count) >= 0) return;
    this.found.set(count.field.toString('latin1'), count);
    if (this.found.size >= 2 * this.most) this.cut();
  }

  /** Drops all but the heaviest, and raises `threshold`. */
  cut(): void {
    const { size } = this.found;
    if (size < this.most || (size === this.most && this.minDigits !== null)) return;
    const sorted = this.sorted();
    this.minDigits = sorted.at(-1)!.digits;
    this.found = new Map(sorted.map((count) => [count.field.toString('latin1'), count]));
  }

  sorted(): Count[] {
    return [...this.found.values()].sort(heaviestFirst).slice(0, this.most);
  }
}
