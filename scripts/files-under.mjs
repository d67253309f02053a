import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The files in a folder and its folders, or the file itself, in a fixed order; empty for a missing path. */
export const filesUnder = (path) => {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesUnder(join(path, name)));
};
