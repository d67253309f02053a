/** Arguments of a redis-server without read-only scripts, like Redis 6.2. */
export const WITHOUT_SCRIPTS = ['--rename-command', 'EVAL_RO', '', '--rename-command', 'EVALSHA_RO', ''];

/** For `describe.each`: results must be the same with and without scripts. */
export const BOTH_WAYS: [name: string, redisArgs: string[]][] = [
  ['with scripts', []],
  ['with commands only', WITHOUT_SCRIPTS],
];
