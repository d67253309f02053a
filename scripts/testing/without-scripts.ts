/** Arguments of a redis-server that has no read-only scripts, as Redis 6.2 has none. */
export const WITHOUT_SCRIPTS = ['--rename-command', 'EVAL_RO', '', '--rename-command', 'EVALSHA_RO', ''];

/** Everything has to come out the same without them: for `describe.each`. */
export const BOTH_WAYS: [name: string, redisArgs: string[]][] = [
  ['with scripts', []],
  ['with commands only', WITHOUT_SCRIPTS],
];
