import { Cluster } from 'ioredis';
import type { Target } from './batch';

/** What an application listens to. */
export interface Subscription {
  channels: readonly string[];
  patterns: readonly string[];
}

export const PLATFORM: Subscription = {
  channels: ['notifications:global', 'reaction', 'shout'],
  patterns: ['notifications:*'],
};

export const SOCIAL: Subscription = { channels: ['whiteboard:lobby'], patterns: ['whiteboard:*'] };

/** A client that listens as an application does, and drops what it gets. It subscribes again after an outage. */
export const subscribe = async (redis: Target, { channels, patterns }: Subscription): Promise<Target> => {
  const options = { connectionName: 'demo-subscriber', maxRetriesPerRequest: null };
  const listener =
    redis instanceof Cluster ? redis.duplicate([], { redisOptions: options }) : redis.duplicate(options);
  listener.on('error', () => {});
  await listener.subscribe(...channels);
  await listener.psubscribe(...patterns);
  return listener;
};
