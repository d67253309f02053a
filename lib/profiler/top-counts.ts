import 'server-only';
/**
 * Counts by name in bounded memory. When there are too many names the rarest half is dropped and its counts are added
 * to `dropped`, so that no loss goes unnoticed.
 */
export class TopCounts {
  dropped = 0;
  private readonly counts = new Map<string, number>();

  constructor(private readonly max: number) {}

  add(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    if (this.counts.size > this.max) this.dropRarest();
  }

  private dropRarest(): void {
    for (const [name, count] of this.sorted().slice(Math.ceil(this.max / 2))) {
      this.dropped += count;
      this.counts.delete(name);
    }
  }

  /** Names with their counts, most first. */
  sorted(): [string, number][] {
    return [...this.counts].sort((a, b) => b[1] - a[1]);
  }
}
