import 'server-only';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key } from '@/lib/redis/commands';
import type { Cut } from '@/lib/redis/latency-guard';
import type { ConsoleAddresses, FencedWindow } from '@/lib/redis/window';
import type { WindowSink } from '@/lib/redis/window-streams';
import type { Reason } from './schema';

/** Keys without a family have a separate row, so that the rows add up to the total. */
export const UNCLASSIFIED = 'unclassified';

const OTHER_DATABASE = ' other-database';
const CONSOLE_KEYS = ' console-keys';
const MAX_NAMES = 20;

export interface Counted {
  hits: number;
  misses: number;
}

/** The counts of a window, on one server or several. */
export interface WindowCounts {
  families: Record<string, Counted>;
  /** The server's hits and misses between the fences, excluding ours. */
  total: Counted;
  notAttributed: Counted;
  reasons: Reason[];
  seconds: number;
  cutShort: Cut | null;
}

export const NOTHING: Counted = { hits: 0, misses: 0 };
export const sum = (a: Counted, b: Counted): Counted => ({
  hits: a.hits + b.hits,
  misses: a.misses + b.misses,
});
const less = (a: Counted, b: Counted): Counted => ({ hits: a.hits - b.hits, misses: a.misses - b.misses });

interface Row {
  /** Look-ups by the applications. */
  reads: number;
  /** Keymiss events, excluding those known to be ours. */
  misses: number;
  /** Look-ups by other processes of the console. The server does not report which of them missed. */
  others: number;
}

type UnclearKind = Parameters<WindowSink['unclear']>[0];

/** Counts one window by family. Stores no keys, so memory is bounded by the catalog. */
export class WindowCounter implements WindowSink {
  private readonly rows = new Map<string, Row>();
  private readonly unclears = new Map<string, { count: number; names: Set<string> }>();
  /** Whether the stream is between the fences. */
  private within = false;
  private readonly catalog: Registry;
  private readonly db: number;
  private readonly canIdentifyOwn: boolean;
  private readonly own: ReadonlySet<string>;
  private readonly others: Set<string>;

  constructor(catalog: Registry, db: number, addresses: ConsoleAddresses) {
    this.catalog = catalog;
    this.db = db;
    this.canIdentifyOwn = addresses.canIdentifyOwn;
    this.own = addresses.own;
    this.others = new Set(addresses.others);
  }

  private rowOf(db: number, key: Buffer): Row {
    const id = db === this.db ? this.familyOf(key) : OTHER_DATABASE;
    let row = this.rows.get(id);
    if (!row) {
      row = { reads: 0, misses: 0, others: 0 };
      this.rows.set(id, row);
    }
    return row;
  }

  private familyOf(key: Buffer): string {
    const { family } = this.catalog.locate(key);
    if (!family) return UNCLASSIFIED;
    return family.app === 'console' ? CONSOLE_KEYS : family.id;
  }

  lookup(db: number, key: Buffer, source: string): void {
    if (this.own.has(source)) return;
    const row = this.rowOf(db, key);
    if (this.others.has(source)) row.others += 1;
    else row.reads += 1;
  }

  miss(db: number, key: Buffer): void {
    this.rowOf(db, key).misses += 1;
  }

  anotherConsole(source: string): void {
    this.others.add(source);
  }

  fenced(): void {
    this.within = !this.within;
  }

  /** One of our own look-ups missed, so one of the events is not the applications'. */
  readonly ownMiss = (db: number, key: Key): void => {
    if (this.canIdentifyOwn && this.within) this.rowOf(db, key).misses -= 1;
  };

  unclear(kind: UnclearKind, command: string, source: string): void {
    if (this.own.has(source) || this.others.has(source)) return;
    let unclear = this.unclears.get(kind);
    if (!unclear) {
      unclear = { count: 0, names: new Set() };
      this.unclears.set(kind, unclear);
    }
    unclear.count += 1;
    if (unclear.names.size < MAX_NAMES && /^[\w.|-]{1,40}$/.test(command)) unclear.names.add(command);
  }

  /**
   * Counts by family, and the look-ups known to belong to none. A family whose misses may be the console's is omitted,
   * because neither its hits nor its misses are certain. `unnamed`: our misses with unknown keys.
   */
  private split(unnamed: number): { families: Record<string, Counted>; known: Map<Reason['kind'], Counted> } {
    const families: Record<string, Counted> = {};
    const known = new Map<Reason['kind'], Counted>();
    const add = (kind: Reason['kind'], counted: Counted) =>
      known.set(kind, sum(known.get(kind) ?? NOTHING, counted));
    const unsure = { reads: 0, misses: 0 };
    for (const [id, { reads, others, ...row }] of this.rows) {
      const misses = Math.max(0, row.misses);
      if (misses > 0 && others > 0) add('other-console', { hits: reads + others - misses, misses });
      else if (misses > 0 && unnamed > 0) {
        unsure.reads += reads;
        unsure.misses += misses;
      } else {
        if (others > 0) add('other-console', { hits: others, misses: 0 });
        const counted = { hits: Math.max(0, reads - misses), misses };
        if (counted.hits + counted.misses === 0) continue;
        if (id.startsWith(' ')) add(id.trim() as Reason['kind'], counted);
        else families[id] = counted;
      }
    }
    const misses = Math.min(unsure.reads, Math.max(0, unsure.misses - unnamed));
    if (unsure.reads > 0) add('own-script-misses', { hits: unsure.reads - misses, misses });
    return { families, known };
  }

  /** The result: the families, and the remainder of the server's own counters. */
  finish({ before, after, seconds, cutShort }: FencedWindow): WindowCounts {
    const ours = {
      hits: after.own.hits - before.own.hits,
      misses: after.own.misses - before.own.misses,
      unnamed: after.own.unnamed - before.own.unnamed + (before.isIdle && after.isIdle ? 0 : 1),
    };
    const own = this.canIdentifyOwn ? ours : { ...NOTHING, unnamed: 0 };
    const total = {
      hits: after.hits - before.hits - own.hits,
      misses: after.misses - before.misses - own.misses,
    };
    const { families, known } = this.split(own.unnamed);
    const notAttributed = Object.values(families).reduce(less, total);
    const included = this.canIdentifyOwn ? 0 : ours.hits + ours.misses;
    return {
      families,
      total,
      notAttributed,
      reasons: this.reasons(notAttributed, known, included),
      seconds,
      cutShort,
    };
  }

  private reasons(left: Counted, known: Map<Reason['kind'], Counted>, included: number): Reason[] {
    const reasons: Reason[] = [...known].map(([kind, counted]) => ({
      kind,
      count: counted.hits + counted.misses,
      commands: [],
      ...counted,
    }));
    const unknown = { hits: null, misses: null };
    for (const [kind, { count, names }] of this.unclears)
      reasons.push({ kind: kind as UnclearKind, count, ...unknown, commands: [...names].sort() });
    if (included > 0) reasons.push({ kind: 'own-included', count: included, ...unknown, commands: [] });
    const rest = [...known.values()].reduce(less, left);
    if (rest.hits !== 0 || rest.misses !== 0)
      reasons.push({
        kind: 'unexplained',
        count: Math.abs(rest.hits) + Math.abs(rest.misses),
        ...rest,
        commands: [],
      });
    return reasons;
  }
}
