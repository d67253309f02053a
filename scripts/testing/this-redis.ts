import { spawnSync } from 'node:child_process';
import type { Redis } from 'ioredis';
import { findRedis } from '../redis-server.mjs';

const version = spawnSync(findRedis() ?? 'redis-server', ['--version'], { encoding: 'utf8' }).stdout;

/** Whether tests run on Redis 6.2 (KEYWARD_TEST_REDIS), which has neither read-only scripts nor settings that came later. */
export const IS_REDIS_6 = / v=6\./.test(version);

/** The version of the shipped command table: others have different arities and options. */
export const IS_REDIS_7_0 = /^Redis.* v=7\.0\./.test(version);

/** Arguments of a redis-server that allows DEBUG, as 6.2 always does. */
export const WITH_DEBUG = IS_REDIS_6 ? [] : ['--enable-debug-command', 'yes'];

/** For servers without PEXPIRETIME: the moment at which TIME and PTTL agree. */
const EXPIRY = `
  local function now() local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000) end
  while true do
    local before = now()
    local left = redis.call('PTTL', KEYS[1])
    if left < 0 then return left end
    if now() == before then return before + left end
  end`;

/** When a key expires, epoch ms; -1 never, -2 missing. By PEXPIRETIME where available. */
export const expiryOf = async (redis: Redis, key: Buffer | string): Promise<number> =>
  Number(await (IS_REDIS_6 ? redis.eval(EXPIRY, 1, key) : redis.pexpiretime(key)));

/** Sets several settings one after the other, because only Redis 7 accepts them together. */
export const configure = async (
  redis: Redis,
  settings: Readonly<Record<string, string | number>>,
): Promise<void> => {
  for (const [name, value] of Object.entries(settings)) await redis.config('SET', name, value);
};

const NOT_IN_6 = new Set(['-eval_ro', '-evalsha_ro', '-pexpiretime', '+pexpiretime']);

/** ACL rules that this server accepts: Redis 6.2 can forbid neither single subcommands nor unknown commands. */
export const aclRules = (...rules: readonly string[]): string[] =>
  IS_REDIS_6
    ? rules
        .filter((rule) => !NOT_IN_6.has(rule))
        .map((rule) => (rule.startsWith('-') ? rule.replace(/\|.*/, '') : rule))
    : [...rules];
