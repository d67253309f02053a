import { readFileSync, statSync } from 'node:fs';
import { processWide } from '@/lib/process-wide';
import { SECOND } from '@/lib/time';
import { CatalogText } from './problems';
import { MAX_FILE_BYTES } from './yaml-text';

/** The text of a file; where it cannot be read, why. */
export const readFile = (path: string): { source: string } | { text: CatalogText } => {
  const unreadable = (found: string) => {
    const text = new CatalogText(path);
    text.add([], found, 'a file of at most 1 MiB that can be read, in UTF-8');
    return { text };
  };
  try {
    const stat = statSync(path);
    // Reading a pipe would block.
    if (!stat.isFile()) return unreadable('no file');
    if (stat.size > MAX_FILE_BYTES) return unreadable(`${stat.size} bytes`);
    return { source: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)) };
  } catch (error) {
    const { code } = error as { code?: string };
    return unreadable(code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'other bytes' : `nothing (${code})`);
  }
};

const CHECK_MS = SECOND;

/** Also detects files that an editor replaced, and changes in bind mounts, which raise no events. */
const stampOf = (path: string): string => {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat ? [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join() : 'missing';
  } catch {
    return 'unreadable';
  }
};

interface Loaded<T> {
  value: T;
  /** Identifies the versions of the files that were last read. */
  stamp: string;
  /** By `performance.now()`. */
  checkedAt: number;
}

/**
 * What `load` makes of some files: again after one of them has changed, checked at most once a second. `before` is what it
 * made the last time. `name` is unique in the process.
 */
export const watchedFiles = <T>(name: string, load: (paths: readonly string[], before?: T) => T) => {
  const loaded = processWide(name, () => new Map<string, Loaded<T>>());
  return {
    of: (paths: readonly string[]): T => {
      const id = JSON.stringify(paths);
      const known = loaded().get(id);
      const now = performance.now();
      if (known && now - known.checkedAt < CHECK_MS) return known.value;
      const stamp = paths.map(stampOf).join(' ');
      const value = known?.stamp === stamp ? known.value : load(paths, known?.value);
      loaded().set(id, { value, stamp, checkedAt: now });
      return value;
    },
    /** Makes the next use check the files again, for tests. */
    recheck: (): void => {
      for (const each of loaded().values()) each.checkedAt = Number.NEGATIVE_INFINITY;
    },
  };
};
