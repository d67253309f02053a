import 'server-only';
import type { Command, Redis } from 'ioredis';
import { Problem } from '@/lib/errors';

/** What connects a client, and reads. Everything else may write: scripts, transactions, the job queue. */
const MAY_ALWAYS = new Set(
  (
    'auth hello select client ping echo quit reset info role time wait command readonly subscribe psubscribe ' +
    'unsubscribe punsubscribe watch unwatch config scan exists type ttl pttl expiretime pexpiretime dump ' +
    'memory object get mget getrange strlen hget hmget hgetall hkeys hvals hlen hexists hscan hstrlen ' +
    'smembers scard sismember smismember sscan srandmember zcard zscore zmscore zcount zrange zrevrange ' +
    'zrangebyscore zrevrangebyscore zrank zrevrank zscan lrange llen lindex lpos xlen xrange xrevrange xread xinfo'
  ).split(' '),
);

interface Sending {
  sendCommand(command: Command, stream?: Parameters<Redis['sendCommand']>[1]): unknown;
}

/** Lets a client only read while `refusal` returns why nothing may be written. */
export const guardWrites = (redis: Redis, refusal: () => Problem | null): void => {
  const sending = redis as unknown as Sending;
  const send = sending.sendCommand.bind(redis);
  sending.sendCommand = (command, stream) => {
    const why = refusal();
    if (!why || MAY_ALWAYS.has(command.name.toLowerCase())) return send(command, stream);
    // ioredis adds to the error that it rejects with.
    command.reject(new Problem(why.code, why.message, { extensions: why.extensions }));
    // A pipeline is sent once each of its commands has written its part.
    if (stream && 'isPipeline' in stream) stream.write('');
    return command.promise;
  };
};
