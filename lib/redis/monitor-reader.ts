import 'server-only';
import { randomBytes } from 'node:crypto';
import type { Client } from './client';
import type { Cut } from './latency-guard';
import { LineStream, MonitorLine, type Quoting, quotingOf, quotingProbe } from './monitor-line';

/** Prefix of the names of the console's connections (CLIENT SETNAME). */
export const CONSOLE_NAME = 'keyward-';

/** Whether another process of the console names its connection by this call. */
export const namesConsole = (line: MonitorLine): boolean =>
  line.word(0) === 'client' && line.word(1) === 'setname' && line.word(2).startsWith(CONSOLE_NAME);

export const BEHIND: Cut = { why: 'behind', text: 'commands came faster than the console could read' };

/** Behind a reader that lags this far, the server buffers its output. */
const MAX_LAG_MS = 500;
const MAX_LAGGING_PROBES = 5;

const ERROR = 0x2d;
/** The longest wait for a fence. */
const PROBE_TIMEOUT_MS = 5000;

/** MONITOR, followed on the same connection by an ECHO that reveals how the server quotes. */
const beginning = (id: string): string => {
  const probe = quotingProbe(id);
  return `MONITOR\r\n*2\r\n$4\r\nECHO\r\n$${probe.length}\r\n${probe}\r\n`;
};

const refused = (line: Buffer): Error => new Error(line.toString('latin1', 1, 200));

/** Reads MONITOR of one server as it arrives and stores none of it. The only place that sends MONITOR. */
export abstract class MonitorReader {
  /** How far the latest line lies behind the server's clock, ms. */
  lagMs = 0;
  /** The server's time (epoch ms) and `performance.now()` at the same instant. */
  clock: { server: number; own: number } | null = null;
  /** Bytes received from the server. */
  received = 0;
  /** Address of the last call from outside a script: later calls inside a script belong to it. */
  protected caller = '';
  private last: MonitorLine | null = null;
  private lagging = 0;
  /** Null until the probe has arrived. */
  private quoting: Quoting | null = null;

  constructor(private readonly client: Client) {}

  /** Called with each command; its bytes are valid only until the call returns. */
  protected abstract take(line: MonitorLine): void;

  /** Called after each piece from the server, of at most 64 KiB. */
  protected afterPiece(): void {}

  /**
   * Resolves when the server has accepted MONITOR and its way of quoting is known; rejects with its refusal, or after
   * a time-out.
   */
  async start(): Promise<void> {
    await this.client.ready();
    const { stream } = this.client.redis;
    // ioredis would parse every line completely as a reply.
    stream.removeAllListeners('data');
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error('MONITOR timed out.')), PROBE_TIMEOUT_MS);
      const id = randomBytes(12).toString('hex');
      let isAccepted = false;
      const lines = new LineStream((line, cut) => {
        if (this.quoting) return this.read(line, cut, this.quoting);
        const isError = line[0] === ERROR;
        if (isError && !isAccepted) reject(refused(line));
        isAccepted = true;
        // The user may not run ECHO: all versions but one escape.
        this.quoting = isError ? 'escaped' : quotingOf(line, id);
        if (this.quoting) resolve();
      });
      stream.once('close', () => reject(new Error('Connection is closed.')));
      stream.on('data', (chunk: Buffer) => {
        const from = performance.now();
        this.received += chunk.length;
        lines.write(chunk);
        this.noteLag(from);
        this.afterPiece();
      });
      stream.write(beginning(id));
    }).finally(() => clearTimeout(timer));
  }

  private read(bytes: Buffer, cut: boolean, quoting: Quoting): void {
    const line = MonitorLine.read(bytes, cut, quoting);
    if (!line) return;
    this.last = line;
    if (line.source !== 'lua') this.caller = line.source;
    this.take(line);
  }

  private noteLag(now: number): void {
    if (this.clock && this.last) this.lagMs = now - this.clock.own - (this.last.ranAt - this.clock.server);
    this.last = null;
  }

  /** Whether it has lagged for several probes in a row. Each call is one probe. */
  isBehind(): boolean {
    this.lagging = this.lagMs > MAX_LAG_MS ? this.lagging + 1 : 0;
    return this.lagging >= MAX_LAGGING_PROBES;
  }

  /** Destroys the socket: the server sends until the connection is closed. */
  close(): void {
    this.client.redis.stream?.destroy();
    this.client.close();
  }
}
