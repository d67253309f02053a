import type { ChildProcess } from 'node:child_process';
import type { Exit } from './child.mjs';

export interface RedisOptions {
  /** A free port of loopback by default. */
  port?: number;
  /** The working folder; by default a temporary one, which `stop` removes. */
  dir?: string;
  appendOnly?: boolean;
  /**
   * Only its owner can connect: through a socket, or a port with a password where sockets are not supported. Requires
   * `dir`.
   */
  guarded?: boolean;
  /** Lines of a Sentinel's configuration: starts a Sentinel instead. */
  sentinel?: string[];
  /** Further arguments of redis-server, such as `['--maxmemory', '64mb']`. */
  args?: string[];
  log?: (line: string) => void;
}

export interface RedisServer {
  url: string;
  /** Undefined for a socket. */
  port: number;
  dir: string;
  pid: number;
  process: ChildProcess;
  exited: Promise<Exit>;
  stop(): Promise<void>;
}

/** The path of a program on PATH, or null. */
export function onPath(name: string): string | null;
/** The program in KEYWARD_TEST_REDIS if set, otherwise redis-server or valkey-server on PATH, or null. */
export function findRedis(): string | null;
/** The URL of the server that runs in a folder, or null. */
export function runningServer(dir: string): Promise<string | null>;
export function freePort(): Promise<number>;
export function startRedis(options?: RedisOptions): Promise<RedisServer>;
