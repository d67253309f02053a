import 'server-only';

/** A field of a hash of counters, and its count as the digits that stand there: exact whatever its size. */
export interface Count {
  field: Buffer;
  digits: string;
}

const LARGEST = '9223372036854775807';

/** What HINCRBY takes for a count, as far as it is none below zero; null for everything else. */
export const countDigits = (value: Buffer): string | null => {
  if (value.length > LARGEST.length) return null;
  const text = value.toString('latin1');
  if (!/^(0|[1-9]\d*)$/.test(text)) return null;
  return text.length === LARGEST.length && text > LARGEST ? null : text;
};

const compareDigits = (a: string, b: string): number => {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

/** Heaviest first; equal ones in the order of their bytes, so that a table does not jump. */
export const heaviestFirst = (a: Count, b: Count): number =>
  compareDigits(b.digits, a.digits) || Buffer.compare(a.field, b.field);

export const isAtLeast = ({ digits }: Count, threshold: number): boolean =>
  compareDigits(digits, String(threshold)) >= 0;

/** A whole number for JSON, and its digits beside it where a JSON number is not exact. */
export const exactly = (digits: string): { value: number; exact: string | null } => {
  const value = Number(digits);
  return { value, exact: Number.isSafeInteger(value) ? null : digits };
};

/** The heaviest of many counts, in bounded memory; a field that comes twice is one, with its later count. */
export class Heaviest {
  private kept = new Map<string, Count>();
  private leastDigits: string | null = null;
  private readonly most: number;
  private readonly after: Count | null;

  /** `after`: only what comes after it in the order. */
  constructor(most: number, after: Count | null) {
    this.most = most;
    this.after = after;
  }

  /** What counts no more than this need not be offered; -1 while everything is wanted. */
  get least(): string {
    return this.leastDigits ?? '-1';
  }

  offer(count: Count): void {
    if (this.after && heaviestFirst(this.after, count) >= 0) return;
    this.kept.set(count.field.toString('latin1'), count);
    if (this.kept.size >= 2 * this.most) this.cut();
  }

  /** Keeps the heaviest only, and learns what is too light. */
  cut(): void {
    const { size } = this.kept;
    if (size < this.most || (size === this.most && this.leastDigits !== null)) return;
    const sorted = this.sorted();
    this.leastDigits = sorted.at(-1)!.digits;
    this.kept = new Map(sorted.map((count) => [count.field.toString('latin1'), count]));
  }

  sorted(): Count[] {
    return [...this.kept.values()].sort(heaviestFirst).slice(0, this.most);
  }
}
