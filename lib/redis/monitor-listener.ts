import 'server-only';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Client } from './client';
import type { MonitorLine } from './monitor-line';
import { MonitorReader } from './monitor-reader';
import type { Node } from './topology';

const FENCE_TIMEOUT_MS = 1000;
const MIN_PIECE_MS = 1;

type Take = (line: MonitorLine, source: string) => void;

/** Passes lines on until a fence arrives: an ECHO of ours, after which nothing counts. */
class FencedReader extends MonitorReader {
  readonly name = randomBytes(12).toString('hex');
  readonly passed: Promise<void>;
  lines = 0;
  private piece = { lines: 0, from: 0, to: 0 };
  /** What was received when the last line ended. */
  private receivedBefore = 0;
  isOver = false;
  end = () => {};
  private readonly pass: Take;
  private readonly check: () => void;

  constructor(client: Client, pass: Take, check: () => void) {
    super(client);
    [this.pass, this.check] = [pass, check];
    this.passed = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  protected override afterPiece(): void {
    this.check();
    this.piece = { lines: 0, from: 0, to: 0 };
  }

  /**
   * The estimated number of lines that the server has written and that have not arrived, from the rate of the last
   * piece.
   */
  get ahead(): number {
    const { lines, from, to } = this.piece;
    return lines > 1 && this.lagMs > 0 ? (this.lagMs * lines) / Math.max(MIN_PIECE_MS, to - from) : 0;
  }

  /** Whether pieces of a long line arrived without its end: the rest has unknown length. */
  get isInLongLine(): boolean {
    return this.received > this.receivedBefore;
  }

  protected take(line: MonitorLine): void {
    this.receivedBefore = this.received;
    if (this.isOver) return;
    this.lines += 1;
    this.piece.lines += 1;
    this.piece.from ||= line.ranAt;
    this.piece.to = line.ranAt;
    if (line.word(0) === 'echo' && line.word(1) === this.name) {
      this.isOver = true;
      this.end();
    } else this.pass(line, this.caller);
  }
}

/** MONITOR of one server, on and off: only closing the connection ends MONITOR. */
export class Listener {
  /** Whether the connection ended by itself. */
  isBroken = false;
  /** Whether everything that the server wrote until the last close was read. */
  isWhole = true;
  /** Whether the last close cut a line of unknown length. */
  isLongCut = false;
  private reader: FencedReader | null = null;
  private client: Client | null = null;
  private openedAt = 0;
  private readonly before = { ms: 0, lines: 0, bytes: 0 };
  private readonly node: Node;
  private readonly control: Redis;
  private readonly pass: Take;
  private readonly mayRead: (ahead: number) => boolean;

  /**
   * `mayRead` is called after each piece, with the number of lines on their way: when it returns false, the connection
   * is closed immediately.
   */
  constructor(node: Node, control: Redis, pass: Take, mayRead: (ahead: number) => boolean) {
    [this.node, this.control, this.pass, this.mayRead] = [node, control, pass, mayRead];
  }

  get isOpen(): boolean {
    return this.reader !== null;
  }

  get lines(): number {
    return this.before.lines + (this.reader?.lines ?? 0);
  }

  get bytes(): number {
    return this.before.bytes + (this.reader?.received ?? 0);
  }

  /** How long MONITOR was read, ms. */
  get listenedMs(): number {
    return this.before.ms + (this.reader ? performance.now() - this.openedAt : 0);
  }

  isBehind(): boolean {
    return this.reader?.isBehind() ?? false;
  }

  /** Throws the server's refusal. `clock`: the server's time and ours at the same instant. */
  async open(clock: FencedReader['clock']): Promise<void> {
    const client = this.node.dedicated('profile');
    const reader = new FencedReader(client, this.pass, () => {
      if (this.reader === reader && !this.mayRead(reader.ahead)) this.close();
    });
    [this.client, this.reader, reader.clock] = [client, reader, clock];
    this.openedAt = performance.now();
    try {
      await client.ready();
      client.redis.once('close', () => {
        if (this.reader === reader) this.isBroken = true;
      });
      await reader.start();
      this.openedAt = performance.now();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Output bytes the server buffers for us; null where it does not report them. */
  async waitingBytes(): Promise<number | null> {
    const id = this.client?.connection()?.id;
    if (!id) return null;
    const list = await this.control.call('CLIENT', 'LIST', 'ID', id).then(String, () => '');
    const [, waiting] = /(?:^| )omem=(\d{1,15})/.exec(list) ?? [];
    return waiting === undefined ? null : Number(waiting);
  }

  /** Ends after everything that the server has executed so far, unless that takes too long or costs too much. */
  async pause(): Promise<void> {
    const { reader } = this;
    if (reader && !this.isBroken) {
      await this.control.echo(reader.name);
      await Promise.race([reader.passed, sleep(FENCE_TIMEOUT_MS, undefined, { ref: false })]);
    }
    this.close();
  }

  close(): void {
    const { reader, client } = this;
    if (!reader) return;
    this.isWhole = reader.isOver;
    this.isLongCut = !reader.isOver && reader.isInLongLine;
    reader.end();
    this.before.ms += performance.now() - this.openedAt;
    this.before.lines += reader.lines;
    this.before.bytes += reader.received;
    [this.reader, this.client] = [null, null];
    reader.close();
    client?.close();
  }
}
