import 'server-only';
import type { Redis } from 'ioredis';

/** Sends a command, after ASKING where a slot is just being taken over. Texts are bytes. */
export const sendAsking = async (
  redis: Redis,
  isAsking: boolean,
  name: string,
  args: (string | Buffer | number)[],
): Promise<unknown> => {
  if (!isAsking) return redis.callBuffer(name, args);
  // In one write, so that no other command comes between them.
  const replies = (await redis.pipeline().call('ASKING').callBuffer(name, args).exec()) as [
    Error | null,
    unknown,
  ][];
  const refused = replies.find(([error]) => error);
  if (refused) throw refused[0];
  return replies[1]![1];
};
