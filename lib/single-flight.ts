/** Runs one work per key at a time: who asks meanwhile gets the promise of the one that is under way. */
export class SingleFlight<T> {
  private readonly flights = new Map<string, Promise<T>>();

  run(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.flights.get(key);
    if (before) return before;
    const flight = work().finally(() => this.flights.delete(key));
    this.flights.set(key, flight);
    return flight;
  }

  /** What is under way under a key. */
  get(key: string): Promise<T> | undefined {
    return this.flights.get(key);
  }

  /** When all that is under way is over, whether it failed or not. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.flights.values());
  }
}
