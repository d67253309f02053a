import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Problem } from '@/lib/errors';
import { freePort, type RedisServer, startRedis } from '@/scripts/redis-server.mjs';
import { answerIn, changeFailureOf, classify, failureOf, isRefusal, isWrongType } from './failure';
import { runScript, script } from './scripts';

it('blames the server for being out of reach, and for nothing else', () => {
  const gone = failureOf('main', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
  expect(gone).toBeInstanceOf(Problem);
  expect(gone).toMatchObject({ status: 503, code: 'unreachable', extensions: { connection: 'main' } });
  for (const error of [
    new Error('WRONGTYPE of key'),
    new Error('ERR user_script:1: nil'),
    new TypeError('reply'),
  ])
    expect(failureOf('main', error)).toBe(error);
});

it('reads the refusal that a script of Redis 6.2 wrapped', () => {
  const error = new Error(
    'ERR Error running script (call to f_1): @user_script:1: WRONGTYPE Operation against a key',
  );
  expect([isWrongType(error), isRefusal(error), answerIn(error.message)]).toEqual([
    true,
    true,
    'WRONGTYPE Operation against a key',
  ]);
  expect(answerIn('ERR Error running script (call to f_1): @user_script:1: user_script:1: boom')).toBe(
    'ERR boom',
  );
});

/** As servers of other versions word them: 6.2 wraps a script's error, 7.2 and Valkey name the user. */
it.each([
  ["NOPERM User app has no permissions to run the 'info' command", 'not_permitted'],
  ['NOPERM No permissions to access a key', 'not_permitted'],
  ["ERR ACL failure in script: User app has no permissions to run the 'set' command", 'not_permitted'],
  [
    'ERR ACL failure in script: No permissions to access a key script: 64, on @user_script:1.',
    'not_permitted',
  ],
  ['ERR unknown command `INFO`, with args beginning with: ', 'not_permitted'],
  ['ERR Unknown command called from script script: on @user_script:1.', 'not_permitted'],
  [
    'ERR Error running script (call to f_1): @user_script:1: @user_script: 1: Unknown Redis command called from Lua script',
    'not_permitted',
  ],
  ["NOPERM ACL failure in script: User app has no permissions to run the 'set' command", 'not_permitted'],
  ["ERR unknown command 'INFO', with args beginning with: ", 'not_permitted'],
  [
    "ERR Error running script (call to f_1): @user_script:3: -READONLY You can't write against a read only replica.",
    'replica',
  ],
  [
    'ERR Error running script (call to f_1): @user_script:2: @user_script: 2: -OOM command not allowed',
    'full',
  ],
  ["@user_script: 1: The user executing the script can't run this command or subcommand", 'not_permitted'],
  ["@user_script: 17: -READONLY You can't write against a read only replica.", 'replica'],
  ["@user_script: 17: -OOM command not allowed when used memory > 'maxmemory'.", 'full'],
  ['MISCONF Redis is configured to save RDB snapshots, but is unable to persist to disk.', 'full'],
  ['NOREPLICAS Not enough good replicas to write.', 'replica'],
  ['MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to no.', 'replica'],
  ["CROSSSLOT Keys in request don't hash to the same slot", 'moved'],
  ['MOVED 3999 127.0.0.1:6381', 'moved'],
  ['CLUSTERDOWN Hash slot not served', 'unreachable'],
  ['UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)', 'replica'],
  ['LOADING Redis is loading the dataset in memory', 'loading'],
  ['BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.', 'busy'],
  ['NOAUTH Authentication required.', 'auth'],
  ['DENIED Redis is running in protected mode because protected mode is enabled', 'auth'],
  ['WRONGPASS invalid username-password pair or user is disabled.', 'auth'],
  ['self-signed certificate in certificate chain', 'tls'],
  ['SSL routines:ssl3_read_bytes:tlsv1 alert', 'tls'],
  ['Command timed out', 'unreachable'],
  ['Connection is closed.', 'unreachable'],
] as const)('reads "%s"', (message, code) => {
  const error = new Error(message);
  expect(classify(error)?.code).toBe(code);
  expect(isRefusal(error)).toBe(false);
  expect(failureOf('main', error)).toMatchObject({ status: 503, code });
});

it('does not take what merely sounds alike for a state of the server', () => {
  for (const message of ['BUSYKEY Target key name already exists.', 'BUSYGROUP exists', 'ERR syntax error'])
    expect(isRefusal(new Error(message))).toBe(true);
});

it('says when it cannot be known whether a change was made', () => {
  const lost = changeFailureOf('main', new Error('Connection is closed.'));
  expect(lost).toMatchObject({ code: 'unreachable', extensions: { inDoubt: true } });
  expect(changeFailureOf('main', new Error('OOM command not allowed'))).not.toHaveProperty(
    'extensions.inDoubt',
  );
});

describe('on a real server', () => {
  let server: RedisServer;
  let admin: Redis;

  beforeAll(async () => {
    server = await startRedis();
    admin = new Redis(server.url);
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  const failure = async (work: () => Promise<unknown>) =>
    classify(
      await work().then(
        () => null,
        (error: unknown) => error,
      ),
    );

  const as = async <T>(rules: string[], work: (redis: Redis) => Promise<T>): Promise<T> => {
    await admin.call('ACL', 'SETUSER', 'app', 'reset', 'on', '>secret', ...rules);
    const redis = new Redis(server.url, { username: 'app', password: 'secret', enableReadyCheck: false });
    try {
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  };

  const SET_IN_SCRIPT = "return redis.call('SET', 'x', '1')";

  it('names the command that its user may not use, also within a transaction', async () => {
    await as(['~*', '+@all', '-info'], async (redis) => {
      expect(await failure(() => redis.info())).toMatchObject({ code: 'not_permitted', command: 'INFO' });
      expect(await failure(() => redis.multi().info().exec())).toMatchObject({ command: 'INFO' });
    });
  });

  it('tells a key that is not permitted from a command, also within a script', async () => {
    await as(['~session:*', '+@all'], async (redis) => {
      expect(await failure(() => redis.get('other'))).toMatchObject({ command: 'GET', ofKey: true });
      expect(await failure(() => redis.eval(SET_IN_SCRIPT, 0))).toMatchObject({
        code: 'not_permitted',
        ofKey: true,
      });
    });
  });

  it('names the command of a script that is not permitted, or all where the server does not name it', async () => {
    await as(['~*', '&*', '+@all', '-unlink'], async (redis) => {
      const work = () =>
        runScript(redis, script('revoke-session'), ['session:1:a', 'user_sessions:1'], ['a']);
      const failed = await failure(work);
      // Since Redis 7.2 and in Valkey the server names it.
      expect(['UNLINK', 'one of UNLINK, SREM']).toContain(failed?.command);
      expect(failed).toMatchObject({
        code: 'not_permitted',
        text: `its user may not use ${failed?.command}`,
      });
    });
  });

  it('knows a full server and a replica, also within scripts and transactions', async () => {
    const ways = [
      () => admin.set('x', '1'),
      () => admin.eval(SET_IN_SCRIPT, 0),
      () => admin.multi().set('x', '1').exec(),
    ];
    await admin.config('SET', 'maxmemory', '1');
    for (const way of ways) expect(await failure(way)).toMatchObject({ code: 'full' });
    await admin.config('SET', 'maxmemory', '0');
    await admin.call('REPLICAOF', '127.0.0.1', String(await freePort()));
    for (const way of ways) expect(await failure(way)).toMatchObject({ code: 'replica' });
    await admin.call('REPLICAOF', 'NO', 'ONE');
    expect(await failure(() => admin.set('x', '1'))).toBeNull();
  });
});
