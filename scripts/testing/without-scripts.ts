import { IS_REDIS_6 } from './this-redis';

/** Arguments of a redis-server without read-only scripts, like Redis 6.2. */
export const WITHOUT_SCRIPTS = IS_REDIS_6
  ? []
  : ['--rename-command', 'EVAL_RO', '', '--rename-command', 'EVALSHA_RO', ''];

const PLAIN: [name: string, redisArgs: string[]] = ['with commands only', WITHOUT_SCRIPTS];

/** For `describe.each`: results must be equal with and without scripts. */
export const BOTH_WAYS: [name: string, redisArgs: string[]][] = IS_REDIS_6
  ? [PLAIN]
  : [['with scripts', []], PLAIN];
