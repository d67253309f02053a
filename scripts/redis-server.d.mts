import type { ChildProcess } from 'node:child_process';
import type { Exit } from './child.mjs';

export interface RedisOptions {
  /** A free port of loopback unless given. */
  port?: number;
  /** Where it works; a temporary folder, removed by `stop`, unless given. */
  dir?: string;
  appendOnly?: boolean;
  /** Nobody but its owner gets in: a socket, or a port and a password where there can be none. Then `dir` is given. */
  guarded?: boolean;
  /** Further arguments of redis-server, such as `['--maxmemory', '64mb']`. */
  args?: string[];
  log?: (line: string) => void;
}

export interface RedisServer {
  url: string;
  /** Undefined behind a socket. */
  port: number;
  dir: string;
  pid: number;
  process: ChildProcess;
  exited: Promise<Exit>;
  stop(): Promise<void>;
}

/** The path of a program on PATH, or null. */
export function onPath(name: string): string | null;
export function findRedis(): string | null;
/** The URL of the server that works in a folder, if one does. */
export function runningServer(dir: string): string | null;
export function freePort(): Promise<number>;
export function startRedis(options?: RedisOptions): Promise<RedisServer>;
