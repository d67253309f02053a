import { spawnSync } from 'node:child_process';
import { findRedis } from '../redis-server.mjs';

const version = spawnSync(findRedis() ?? 'redis-server', ['--version'], { encoding: 'utf8' }).stdout;

/** Whether tests run on Redis 6.2 (KEYWARD_TEST_REDIS), which has neither read-only scripts nor settings that came later. */
export const IS_REDIS_6 = / v=6\./.test(version);

/** Arguments of a redis-server that allows DEBUG, as 6.2 always does. */
export const WITH_DEBUG = IS_REDIS_6 ? [] : ['--enable-debug-command', 'yes'];
