import 'server-only';
import type { Client } from './client';
import { type CommandTable, findCommand } from './command-table';
import { MISSES } from './keyspace-events';
import { lookupsOf, type Unclear } from './lookups';
import type { MonitorLine } from './monitor-line';
import { MonitorReader, namesConsole } from './monitor-reader';

/** Receives the events of a window, in the order of each stream. Buffers are valid only until the call returns. */
export interface WindowSink {
  lookup(db: number, key: Buffer, source: string): void;
  /** A command whose look-ups are not fully known. */
  unclear(
    kind: Unclear | 'long-command' | 'unknown-command' | 'script' | 'function',
    command: string,
    source: string,
  ): void;
  miss(db: number, key: Buffer): void;
  /** Another process of the console connected during the window, from this address. */
  anotherConsole(source: string): void;
  /** Called at each of the two fences, while no command of our own runs. */
  fenced?(): void;
}

/** Position in a stream: only events between the two fences belong to the window. */
type Phase = 'before' | 'within' | 'after';

/** Follows the two fences through one stream. */
class Fences {
  phase: Phase = 'before';
  readonly passed: Promise<void>;
  private end = () => {};

  constructor(private readonly names: readonly [string, string]) {
    this.passed = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  take(name: string): void {
    if (name === this.names[0]) this.phase = 'within';
    else if (name === this.names[1]) {
      this.phase = 'after';
      this.end();
    }
  }
}

const SCRIPTS = /^(eval|evalsha)(_ro)?$/;
const FUNCTIONS = /^fcall(_ro)?$/;

/** Counts the look-ups that MONITOR shows between the two fences. */
export class MonitorStream extends MonitorReader {
  readonly fences: Fences;

  constructor(
    client: Client,
    fenceNames: readonly [string, string],
    private readonly table: CommandTable,
    private readonly sink: WindowSink,
  ) {
    super(client);
    this.fences = new Fences(fenceNames);
  }

  protected take(line: MonitorLine): void {
    if (line.word(0) === 'echo') this.fences.take(line.word(1));
    if (this.fences.phase === 'within') this.count(line);
  }

  private count(line: MonitorLine): void {
    const source = this.caller;
    const spec = findCommand(this.table, line);
    const { sink } = this;
    if (namesConsole(line)) sink.anotherConsole(source);
    if (!spec || SCRIPTS.test(spec.name) || FUNCTIONS.test(spec.name)) {
      const kind = !spec ? 'unknown-command' : SCRIPTS.test(spec.name) ? 'script' : 'function';
      sink.unclear(kind, line.word(0), source);
      return;
    }
    const { keys, unclear } = lookupsOf(spec, line);
    if (unclear) sink.unclear(unclear, spec.name, source);
    // The server publishes no event for such a miss, so no family can get it.
    if (unclear === 'silent-miss') return;
    for (const index of keys) {
      const key = line.bytes(index);
      if (key) sink.lookup(line.db, key, source);
    }
    if (line.cut && keys.length > 0) sink.unclear('long-command', spec.name, source);
  }
}

/** Reads the `keymiss` events of all databases of one server. */
export class MissStream {
  readonly fences: Fences;
  private readonly databases = new Map<string, number>();

  constructor(
    private readonly client: Client,
    fenceNames: readonly [string, string],
    private readonly channel: string,
    private readonly sink: WindowSink,
  ) {
    this.fences = new Fences(fenceNames);
  }

  /** Resolves when subscribed; rejects with the server's refusal. */
  async start(): Promise<void> {
    await this.client.ready();
    const { redis } = this.client;
    redis.on('pmessageBuffer', (_pattern: string, channel: Buffer, key: Buffer) => {
      if (this.fences.phase === 'within') this.sink.miss(this.databaseOf(channel), key);
    });
    redis.on('message', (_channel: string, name: string) => this.fences.take(name));
    await redis.subscribe(this.channel);
    await redis.psubscribe(MISSES);
  }

  private databaseOf(channel: Buffer): number {
    const name = channel.toString('latin1');
    let db = this.databases.get(name);
    if (db === undefined) {
      db = Number(/@(\d+)__/.exec(name)?.[1] ?? 0);
      this.databases.set(name, db);
    }
    return db;
  }
}
