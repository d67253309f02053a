import { Cluster } from 'ioredis';
import type { Target } from './batch';

/** The channels that an application subscribes to. */
export interface Subscription {
  channels: readonly string[];
  patterns: readonly string[];
}

export const PLATFORM: Subscription = {
  channels: ['notifications:global', 'reaction', 'shout'],
  patterns: ['notifications:*'],
};

export const SOCIAL: Subscription = { channels: ['whiteboard:lobby'], patterns: ['whiteboard:*'] };

/** A client that subscribes like an application, and drops its messages. It subscribes again after an outage. */
export const subscribe = async (redis: Target, { channels, patterns }: Subscription): Promise<Target> => {
  const options = { connectionName: 'demo-subscriber', maxRetriesPerRequest: null };
  const listener =
    redis instanceof Cluster ? redis.duplicate([], { redisOptions: options }) : redis.duplicate(options);
  listener.on('error', () => {});
  await listener.subscribe(...channels);
  await listener.psubscribe(...patterns);
  return listener;
};
