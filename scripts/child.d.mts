import type { ChildProcess, SpawnOptions } from 'node:child_process';
import type { Readable } from 'node:stream';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  error?: Error;
}

export interface Child {
  process: ChildProcess;
  pid: number | undefined;
  exited: Promise<Exit>;
  stop(graceMs?: number): Promise<Exit>;
}

export function isEnding(): boolean;
export function stopAll(): Promise<boolean>;
export function endOnSignals(options?: { stopped?: number }): void;
export function startChild(
  command: string,
  args: string[],
  options?: SpawnOptions & { graceMs?: number },
): Child;
export function eachLine(stream: Readable, onLine: (line: string) => void): void;
