import 'server-only';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { sendAsking } from './asking';

/** A Lua script as a file, with a KEYS/ARGV/output header. */
export interface Script {
  name: string;
  lua: string;
  sha: string;
}

const loaded = new Map<string, Script>();

const INCLUDE = /^-- @include "([\w-]+)"$/gm;

/** Replaces each `@include` line by the shared file it names. */
const read = (file: string): string =>
  readFileSync(join(process.cwd(), 'lib/redis/scripts', `${file}.lua`), 'utf8').replace(
    INCLUDE,
    (_, name: string) => read(`include/${name}`),
  );

/** Scripts are read once, from the project's root: `next start` runs there. */
export const script = (name: string): Script => {
  let loadedScript = loaded.get(name);
  if (!loadedScript) {
    const lua = read(name);
    loadedScript = { name, lua, sha: createHash('sha1').update(lua).digest('hex') };
    loaded.set(name, loadedScript);
  }
  return loadedScript;
};

const CALLS = /call\('([A-Z]+)'|unlessWrongType\('([A-Z]+)'/g;

const UNNAMED = /executing the script can't run|command called from (Lua )?script/;

/** Some servers do not report which command of a script is refused or unknown, so all of them are named. */
const namingCommands = (error: unknown, { lua }: Script): unknown => {
  if (!(error instanceof Error) || !UNNAMED.test(error.message)) return error;
  const names = new Set([...lua.matchAll(CALLS)].map(([, called, tried]) => called ?? tried));
  return Object.assign(error, { command: { name: `one of ${[...names].join(', ')}` } });
};

/** Calls a script by its digest; the first time, by its source. */
export const callScript = async (
  redis: Redis,
  [bySha, whole]: readonly [string, string],
  wanted: Script,
  keys: readonly (Buffer | string)[],
  args: readonly (Buffer | string | number)[],
  isAsking = false,
): Promise<unknown> => {
  const call = (name: string, text: string) =>
    sendAsking(redis, isAsking, name, [text, keys.length, ...keys, ...args]).catch((error: unknown) => {
      throw namingCommands(error, wanted);
    });
  try {
    return await call(bySha, wanted.sha);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return call(whole, wanted.lua);
  }
};

/** Replies are bytes and numbers. */
export const runScript = (
  redis: Redis,
  wanted: Script,
  keys: readonly (Buffer | string)[],
  args: readonly (Buffer | string | number)[],
  isAsking = false,
): Promise<unknown> => callScript(redis, ['EVALSHA', 'EVAL'], wanted, keys, args, isAsking);
