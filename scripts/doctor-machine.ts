// What `npm run doctor` looks at on this machine: folders, memory and the port.
import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import type { Env } from '@/lib/configuration';
import { type Finding, failed, ok, warning } from './doctor-finding';

/** The memory of a console that has served every page once, with room for one large answer. */
const MIN_MEMORY = 512 * 2 ** 20;
/** The append-only file of a store grows by some megabytes a day, and is rewritten beside itself. */
const MIN_DISK = 200 * 2 ** 20;

const inMiB = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

const kindOf = (path: string): 'folder' | 'file' | 'nothing' => {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 'nothing';
  return stat.isDirectory() ? 'folder' : 'file';
};

/** The folder itself or, if it does not exist yet, the one in which it would be created. */
const existing = (path: string): string => {
  try {
    return kindOf(path) !== 'nothing' || dirname(path) === path ? path : existing(dirname(path));
  } catch {
    // A part of the path is a file.
    return existing(dirname(path));
  }
};

const mayWrite = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK);
    return kindOf(folder) === 'folder';
  } catch {
    return false;
  }
};

const freeOf = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

/** The folder of the secrets and of the private store. `free` is the room on its disk, bytes. */
export const checkState = (state: string, free = freeOf(existing(state))): Finding[] => {
  const about = 'secrets';
  if (!mayWrite(existing(state)))
    return [failed(about, `${state} cannot be written to`, `Let the console's user write there.`)];
  const findings: Finding[] = [];
  if (kindOf(state) === 'folder' && (statSync(state).mode & 0o077) !== 0)
    findings.push(
      failed(about, `${state} is accessible to other users of this machine`, `chmod 700 ${state}`),
    );
  if (free < MIN_DISK)
    findings.push(
      warning(
        'disk',
        `the disk of ${state} has ${inMiB(free)} left`,
        `Make room: ${inMiB(MIN_DISK)} or more.`,
      ),
    );
  if (findings.length > 0 || kindOf(state) === 'nothing') return findings;
  return [ok(about, `only you may open ${state}`)];
};

/** Whether an upgrade could back the store up first. */
export const checkBackupDir = ({ backupDir }: Pick<Env, 'backupDir'>): Finding[] => {
  if (backupDir === null || mayWrite(existing(backupDir))) return [];
  return [
    failed(
      'backup',
      `${backupDir} cannot be written to, so no upgrade of the store begins`,
      'Set KEYWARD_BACKUP_DIR to a folder that the console can write to.',
    ),
  ];
};

/** `limit`: the memory that this container may use, bytes; 0 or undefined without a limit. */
export const checkMemory = (limit: number | undefined): Finding[] => {
  if (!limit || limit >= MIN_MEMORY) return [];
  return [
    warning('memory', `this container may use ${inMiB(limit)}`, `Give it ${inMiB(MIN_MEMORY)} or more.`),
  ];
};

const isFree = (port: number, hostname: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, hostname, () => server.close(() => resolve(true)));
  });

export const checkPort = async ({
  port,
  hostname,
  basePath,
}: Pick<Env, 'port' | 'hostname' | 'basePath'>): Promise<Finding[]> => {
  const about = 'port';
  if (await isFree(port, hostname)) return [ok(about, `${port} on ${hostname} is free`)];
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  const answer = await fetch(`http://${host}:${port}${basePath}/api/health`, {
    signal: AbortSignal.timeout(5000),
  })
    .then((response) => response.json() as Promise<{ status?: unknown } | null>)
    .catch(() => null);
  if (answer?.status === 'ok') return [ok(about, `a console answers on ${port}`)];
  return [
    failed(
      about,
      `another program listens on ${port}`,
      'Choose another with PORT, or end the other program.',
    ),
  ];
};

/** Where no store is configured. `program`: the Redis server that would be started; null without one. */
export const privateStore = (program: string | null): Finding[] =>
  program
    ? [ok('store', `a private one will be started with ${program}`)]
    : [
        failed(
          'store',
          'none is given, and there is no redis-server to start one',
          'Set KEYWARD_STORE_URL, or install redis-server.',
        ),
      ];
