import 'server-only';
import type { Registry } from '@/lib/keyspace/registry';
import type { CommandTable } from '@/lib/redis/command-table';
import type { MonitorLine } from '@/lib/redis/monitor-line';
import { callFilter } from './call-filter';
import type { Callers } from './callers';
import { argumentsOf, type Call, callOf, namesKey, wordsOf } from './calls';
import { MAX_SAMPLE, type ProfileFilter, UNKNOWN_KEYS } from './schema';
import { TopCounts } from './top-counts';

/** The maximum number of names counted, per kind. */
const MAX_NAMES = 2000;
/** Separates the parts of a name; no pattern, family or command contains it. */
const BETWEEN = '\0';

export const NO_KEY = '';
export const UNKNOWN_COMMAND = '';

interface Sampled extends ReturnType<typeof wordsOf> {
  at: number;
  source: string;
}

/** Counts the commands MONITOR shows, in bounded memory. */
export class CallCounts {
  all = 0;
  own = 0;
  calls = 0;
  inScripts = 0;
  readonly families = new TopCounts(MAX_NAMES);
  readonly commands = new TopCounts(MAX_NAMES);
  readonly sources = new TopCounts(MAX_NAMES);
  /** By family, pattern and command. */
  readonly patterns = new TopCounts(MAX_NAMES);
  readonly sample: Sampled[] = [];
  /** Number of calls in each second since the beginning. */
  readonly seconds: number[] = [];
  private readonly table: CommandTable;
  private readonly catalog: Registry;
  private readonly callers: Callers;
  private readonly matches: ReturnType<typeof callFilter>;

  constructor(
    { table, catalog, callers }: { table: CommandTable; catalog: Registry; callers: Callers },
    filter: ProfileFilter,
  ) {
    [this.table, this.catalog, this.callers] = [table, catalog, callers];
    this.matches = callFilter(filter, callers);
  }

  /** `source`: the address that made the call, or ran its script. `second`: since the beginning. */
  take(line: MonitorLine, source: string, second: number): void {
    const { callers } = this;
    if (callers.isOwn(source)) {
      this.own += 1;
      return;
    }
    this.all += 1;
    const call = callOf(this.table, line, this.catalog);
    const { command, families } = call;
    const names = (text: string) => namesKey(call, text, this.catalog);
    if (!this.matches({ command, families, address: source, namesKey: names })) return;
    this.calls += 1;
    if (line.source === 'lua') this.inScripts += 1;
    this.seconds[second] = (this.seconds[second] ?? 0) + 1;
    this.count(call, source);
    this.keepSome(line, source);
  }

  private count({ command, families, patterns }: Call, source: string): void {
    const name = command ?? UNKNOWN_COMMAND;
    this.commands.add(name);
    this.sources.add(source);
    const names = families ?? [UNKNOWN_KEYS];
    for (const family of names.length > 0 ? names : [NO_KEY]) this.families.add(family);
    for (const [pattern, family] of patterns) this.patterns.add([family, pattern, name].join(BETWEEN));
  }

  /** Reservoir sampling: every call is in the sample with the same probability. */
  private keepSome(line: MonitorLine, source: string): void {
    const place = this.calls <= MAX_SAMPLE ? this.calls - 1 : Math.floor(Math.random() * this.calls);
    if (place >= MAX_SAMPLE) return;
    const words = wordsOf(this.table, argumentsOf(line), this.catalog);
    this.sample[place] = { ...words, at: line.ranAt, source };
  }

  byPattern(): { family: string; pattern: string; command: string; calls: number }[] {
    return this.patterns.sorted().map(([name, calls]) => {
      const [family = '', pattern = '', command = ''] = name.split(BETWEEN);
      return { family, pattern, command, calls };
    });
  }
}
