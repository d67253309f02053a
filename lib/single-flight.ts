/** Runs one task per key at a time: callers that arrive meanwhile get the same promise. */
export class SingleFlight<T> {
  private readonly flights = new Map<string, Promise<T>>();

  run(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.flights.get(key);
    if (before) return before;
    const flight = work().finally(() => this.flights.delete(key));
    this.flights.set(key, flight);
    return flight;
  }

  /** The running task of a key. */
  get(key: string): Promise<T> | undefined {
    return this.flights.get(key);
  }

  /** Resolves when all running tasks have ended, successfully or not. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.flights.values());
  }
}
