import 'server-only';
import type { Client } from './client';
import { type CommandTable, findCommand } from './command-table';
import { MISSES } from './keyspace-events';
import { lookupsOf, type Unclear } from './lookups';
import { LineStream, MonitorLine } from './monitor-line';

/** What a window hears of, in the order of each stream. Bytes are good until the call returns. */
export interface WindowSink {
  lookup(db: number, key: Buffer, source: string): void;
  /** A command whose look-ups are not all known. `source` as for look-ups. */
  unclear(
    kind: Unclear | 'long-command' | 'unknown-command' | 'script' | 'function',
    command: string,
    source: string,
  ): void;
  miss(db: number, key: Buffer): void;
  /** Another process of the console connected meanwhile, from this address. */
  anotherConsole(source: string): void;
  /** A fence is through, and nothing of our own is under way: the first, then the second. */
  fenced?(): void;
}

/** Where a stream is: what comes before the first fence or after the second is not the window's. */
type Phase = 'before' | 'within' | 'after';

/** Shows when each fence has come through a stream. */
class Fences {
  phase: Phase = 'before';
  readonly passed: Promise<void>;
  private end = () => {};
  private readonly names: readonly [string, string];

  constructor(names: readonly [string, string]) {
    this.names = names;
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

/** How the names of all the console's connections begin. */
export const CONSOLE_NAME = 'keyward-';

const SCRIPTS = /^(eval|evalsha)(_ro)?$/;
const FUNCTIONS = /^fcall(_ro)?$/;

const refused = (line: Buffer): Error => new Error(line.toString('latin1', 1, 200));

/** MONITOR of one server, read as it comes: nothing is kept but what the sink counts. */
export class MonitorStream {
  readonly fences: Fences;
  /** How far behind the server what was read last is, ms, by the server's own clock. */
  lagMs = 0;
  /** Epoch ms of the server and of `performance`, at one moment. */
  clock: { server: number; own: number } | null = null;
  private readonly client: Client;
  private readonly table: CommandTable;
  private readonly sink: WindowSink;
  /** Calls from a script follow the call of the script: they are whose that was. */
  private caller = '';
  private last: Buffer | null = null;

  constructor(client: Client, fenceNames: readonly [string, string], table: CommandTable, sink: WindowSink) {
    this.client = client;
    this.fences = new Fences(fenceNames);
    this.table = table;
    this.sink = sink;
  }

  /** Resolves when the server shows its commands; rejects with its refusal. */
  async start(): Promise<void> {
    await this.client.ready();
    const { stream } = this.client.redis;
    // The client's own reader would take every line for a reply, and read each of them whole.
    stream.removeAllListeners('data');
    await new Promise<void>((resolve, reject) => {
      let begun = false;
      const lines = new LineStream((line, cut) => {
        if (begun) return this.take(line, cut);
        begun = true;
        if (line[0] === 0x2d) reject(refused(line));
        else resolve();
      });
      stream.once('close', () => reject(new Error('Connection is closed.')));
      stream.on('data', (chunk: Buffer) => {
        const from = performance.now();
        lines.write(chunk);
        this.noteLag(from);
      });
      stream.write('MONITOR\r\n');
    });
  }

  private noteLag(now: number): void {
    if (!this.clock || !this.last) return;
    const at = Number(this.last.toString('latin1', 1, 18)) * 1000;
    this.lagMs = now - this.clock.own - (at - this.clock.server);
    this.last = null;
  }

  private take(bytes: Buffer, cut: boolean): void {
    const line = MonitorLine.read(bytes, cut);
    if (!line) return;
    this.last = bytes;
    if (this.fences.phase !== 'within' || line.word(0) === 'echo') {
      if (line.word(0) === 'echo') this.fences.take(line.word(1));
      if (this.fences.phase !== 'within') {
        if (line.source !== 'lua') this.caller = line.source;
        return;
      }
    }
    this.count(line);
  }

  private count(line: MonitorLine): void {
    const inside = line.source === 'lua';
    if (!inside) this.caller = line.source;
    const source = this.caller;
    const spec = findCommand(this.table, line);
    const { sink } = this;
    if (
      spec?.name.startsWith('client') &&
      line.word(1) === 'setname' &&
      line.word(2).startsWith(CONSOLE_NAME)
    )
      sink.anotherConsole(source);
    if (!spec || SCRIPTS.test(spec.name) || FUNCTIONS.test(spec.name)) {
      const kind = !spec ? 'unknown-command' : SCRIPTS.test(spec.name) ? 'script' : 'function';
      sink.unclear(kind, line.word(0), source);
      return;
    }
    const { keys, unclear } = lookupsOf(spec, line);
    if (unclear) sink.unclear(unclear, spec.name, source);
    // Of these nobody hears whether they missed: they are no family's.
    if (unclear === 'silent-miss') return;
    for (const index of keys) {
      const key = line.bytes(index);
      if (key) sink.lookup(line.db, key, source);
    }
    if (line.cut && keys.length > 0) sink.unclear('long-command', spec.name, source);
  }

  /** At once: the server goes on sending for as long as the connection is there. */
  close(): void {
    this.client.redis.stream?.destroy();
    this.client.close();
  }
}

/** `keymiss` events of one server, of all its databases. */
export class MissStream {
  readonly fences: Fences;
  private readonly client: Client;
  private readonly databases = new Map<string, number>();
  private readonly channel: string;
  private readonly sink: WindowSink;

  constructor(client: Client, fenceNames: readonly [string, string], channel: string, sink: WindowSink) {
    this.client = client;
    this.fences = new Fences(fenceNames);
    this.channel = channel;
    this.sink = sink;
  }

  /** Resolves when the server will send them; rejects with its refusal. */
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
