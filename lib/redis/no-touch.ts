import 'server-only';
import type { Redis } from 'ioredis';

const answers = new WeakMap<Redis, Promise<boolean>>();

const ask = (redis: Redis): Promise<boolean> => {
  const answer = redis.call('CLIENT', 'NO-TOUCH', 'ON').then(
    () => false,
    () => true,
  );
  answers.set(redis, answer);
  return answer;
};

/** Sends CLIENT NO-TOUCH after each connect (Redis ≥ 7.2), so that this client's reads do not reset idle times. */
export const leaveUntouched = (redis: Redis): void => {
  redis.on('ready', () => void ask(redis));
};

/** For a node of a cluster: Redis 8.0 crashes when a client with NO-TOUCH names a key whose slot is being moved. */
export const touchesAlways = (redis: Redis): void => void answers.set(redis, Promise.resolve(true));

/** Whether reading a value resets the key's idle time, which may determine what the server evicts. */
export const touchesKeys = (redis: Redis): Promise<boolean> => answers.get(redis) ?? ask(redis);
