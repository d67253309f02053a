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

/** Asks the server after each connect that this client's reads do not count as use of a key, where it can (Redis ≥ 7.2). */
export const leaveUntouched = (redis: Redis): void => {
  redis.on('ready', () => void ask(redis));
};

/** Whether a read of a value resets the key's idle time, by which the server may choose what it evicts. */
export const touchesKeys = (redis: Redis): Promise<boolean> => answers.get(redis) ?? ask(redis);
