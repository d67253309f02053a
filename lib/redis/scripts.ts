import 'server-only';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';

/** A Lua script as a file, with a KEYS/ARGV/output header. */
export interface Script {
  name: string;
  lua: string;
  sha: string;
}

const loaded = new Map<string, Script>();

const INCLUDE = /^-- @include "([\w-]+)"$/gm;

/** What scripts share stands in `include`, and takes the place of the line that names it. */
const read = (file: string): string =>
  readFileSync(join(process.cwd(), 'lib/redis/scripts', `${file}.lua`), 'utf8').replace(
    INCLUDE,
    (_, name: string) => read(`include/${name}`),
  );

/** Scripts are read once, from the project's root: `next start` runs there. */
export const script = (name: string): Script => {
  let found = loaded.get(name);
  if (!found) {
    const lua = read(name);
    found = { name, lua, sha: createHash('sha1').update(lua).digest('hex') };
    loaded.set(name, found);
  }
  return found;
};

/** EVALSHA, with EVAL the first time a server sees the script. Replies are bytes and numbers. */
export const runScript = async (
  redis: Redis,
  { lua, sha }: Script,
  keys: readonly (Buffer | string)[],
  args: readonly (Buffer | string | number)[],
): Promise<unknown> => {
  try {
    return await redis.callBuffer('EVALSHA', [sha, keys.length, ...keys, ...args]);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return redis.callBuffer('EVAL', [lua, keys.length, ...keys, ...args]);
  }
};
