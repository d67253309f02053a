import 'server-only';

/**
 * What the console itself added to the server's `keyspace_hits` and `keyspace_misses`, so that it can be taken
 * out of hit rates. Which commands count is in `commands.ts` (traps.md, "Redis and its clients").
 */
export class OwnTraffic {
  hits = 0;
  misses = 0;
  commands = 0;

  add(hits: number, misses: number): void {
    this.hits += hits;
    this.misses += misses;
  }

  snapshot(): { hits: number; misses: number; commands: number } {
    return { hits: this.hits, misses: this.misses, commands: this.commands };
  }
}
