import 'server-only';
import type { Registry } from '@/lib/catalog/registry';
import { joinReasons } from '@/lib/history/hit-rates';
import type { Key } from '@/lib/redis/commands';
import type { ConsoleAddresses, FencedWindow } from '@/lib/redis/window';
import type { WindowSink } from '@/lib/redis/window-streams';
import type { Reason } from './schema';

/** Keys of no family: a row of its own, so that the rows add up. */
export const UNCLASSIFIED = 'unclassified';

const OTHER_DATABASE = ' other-database';
const CONSOLE_KEYS = ' console-keys';
const MOST_NAMES = 20;

export interface Counted {
  hits: number;
  misses: number;
}

/** What windows counted, on one server or several. */
export interface WindowCounts {
  families: Record<string, Counted>;
  /** The server's own hits and misses between the fences, ours taken out. */
  total: Counted;
  notAttributed: Counted;
  reasons: Reason[];
  seconds: number;
  cutShort: string | null;
}

interface Row {
  reads: number;
  misses: number;
}

type UnclearKind = Parameters<WindowSink['unclear']>[0];

/** Counts one window by family. Memory is bounded by the catalog: no key is kept. */
export class WindowCounter implements WindowSink {
  private readonly rows = new Map<string, Row>();
  private readonly unclears = new Map<string, { count: number; names: Set<string> }>();
  /** Between the fences. */
  private within = false;
  private otherConsole = 0;
  private ownMisses = 0;
  private readonly catalog: Registry;
  private readonly db: number;
  private readonly addresses: ConsoleAddresses;

  constructor(catalog: Registry, db: number, addresses: ConsoleAddresses) {
    this.catalog = catalog;
    this.db = db;
    this.addresses = addresses;
  }

  private rowOf(db: number, key: Buffer): Row {
    const id = db === this.db ? this.familyOf(key) : OTHER_DATABASE;
    let row = this.rows.get(id);
    if (!row) {
      row = { reads: 0, misses: 0 };
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
    if (this.addresses.own.has(source)) return;
    if (this.addresses.others.has(source)) this.otherConsole += 1;
    else this.rowOf(db, key).reads += 1;
  }

  miss(db: number, key: Buffer): void {
    this.rowOf(db, key).misses += 1;
  }

  fenced(): void {
    this.within = !this.within;
  }

  /** One of our own look-ups missed: of the events one was ours. */
  readonly ownMiss = (key: Key): void => {
    if (!this.addresses.told || !this.within) return;
    this.rowOf(this.db, key).misses -= 1;
    this.ownMisses += 1;
  };

  unclear(kind: UnclearKind, command: string, source: string): void {
    if (this.addresses.own.has(source)) return;
    let found = this.unclears.get(kind);
    if (!found) {
      found = { count: 0, names: new Set() };
      this.unclears.set(kind, found);
    }
    found.count += 1;
    if (found.names.size < MOST_NAMES && /^[\w.|-]{1,40}$/.test(command)) found.names.add(command);
  }

  private countedOf(id: string): Counted | null {
    const row = this.rows.get(id);
    if (!row) return null;
    const misses = Math.max(0, row.misses);
    return { hits: Math.max(0, row.reads - misses), misses };
  }

  /** What the window comes to: the families, and what is left of the server's own counters. */
  finish({ before, after, seconds, cutShort }: FencedWindow): WindowCounts {
    const ours = { hits: after.own.hits - before.own.hits, misses: after.own.misses - before.own.misses };
    const own = this.addresses.told ? ours : { hits: 0, misses: 0 };
    const total = {
      hits: after.hits - before.hits - own.hits,
      misses: after.misses - before.misses - own.misses,
    };
    const left = { ...total };
    const families: Record<string, Counted> = {};
    for (const id of this.rows.keys()) {
      if (id.startsWith(' ')) continue;
      const counted = this.countedOf(id)!;
      families[id] = counted;
      left.hits -= counted.hits;
      left.misses -= counted.misses;
    }
    const ownUnknown = own.misses - this.ownMisses;
    const included = this.addresses.told ? 0 : ours.hits + ours.misses;
    return {
      families,
      total,
      notAttributed: left,
      reasons: this.reasons(left, ownUnknown, included),
      seconds,
      cutShort,
    };
  }

  private reasons(left: Counted, ownUnknown: number, included: number): Reason[] {
    const reasons: Reason[] = [];
    const rest = { ...left };
    for (const id of [OTHER_DATABASE, CONSOLE_KEYS]) {
      const counted = this.countedOf(id);
      if (!counted) continue;
      const kind = id.trim() as Reason['kind'];
      reasons.push({ kind, count: counted.hits + counted.misses, ...counted, commands: [] });
      rest.hits -= counted.hits;
      rest.misses -= counted.misses;
    }
    const unknown = { hits: null, misses: null };
    for (const [kind, { count, names }] of this.unclears)
      reasons.push({ kind: kind as UnclearKind, count, ...unknown, commands: [...names].sort() });
    if (this.otherConsole > 0)
      reasons.push({ kind: 'other-console', count: this.otherConsole, ...unknown, commands: [] });
    if (included > 0) reasons.push({ kind: 'own-included', count: included, ...unknown, commands: [] });
    if (ownUnknown > 0)
      reasons.push({ kind: 'own-script-misses', count: ownUnknown, ...unknown, commands: [] });
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

const sum = (a: Counted, b: Counted): Counted => ({ hits: a.hits + b.hits, misses: a.misses + b.misses });

/** Windows of several primaries at one time, as one. */
export const joinServers = (servers: readonly WindowCounts[]): WindowCounts => {
  const families: Record<string, Counted> = {};
  for (const counts of servers)
    for (const [id, counted] of Object.entries(counts.families))
      families[id] = families[id] ? sum(families[id], counted) : counted;
  const nothing = { hits: 0, misses: 0 };
  return {
    families,
    total: servers.map(({ total }) => total).reduce(sum, nothing),
    notAttributed: servers.map(({ notAttributed }) => notAttributed).reduce(sum, nothing),
    reasons: joinReasons(servers.map(({ reasons }) => reasons)),
    seconds: Math.max(0, ...servers.map(({ seconds }) => seconds)),
    cutShort: servers.find(({ cutShort }) => cutShort !== null)?.cutShort ?? null,
  };
};
