import type { APIRequestContext } from '@playwright/test';
import { Redis } from 'ioredis';
import { expectStatus } from './expect-status';
import { expect, type State } from './fixtures';
import { uniqueId } from './unique';

export const FLAGS = 'notify-keyspace-events';

/** The family that is read. A test that samples it reserves it, because a window counts the reads of all tests. */
export const SAMPLED = 'discours.topic-authors';

export const flagsOf = async (redis: Redis): Promise<string> =>
  ((await redis.config('GET', FLAGS)) as string[])[1]!;

/** Repeats three hits and a miss on keys of one family until stopped. */
export const startReads = async (url: string) => {
  const redis = new Redis(url);
  const prefix = `topic:authors:${uniqueId()}`;
  const there = [1, 2, 3].map((i) => `${prefix}${i}`);
  for (const key of there) await redis.set(key, '[]');
  let going = true;
  const over = (async () => {
    while (going) {
      await redis.mget(...there, `${prefix}4`);
      await new Promise((next) => setImmediate(next));
    }
    await redis.unlink(...there);
    redis.disconnect();
  })();
  return () => {
    going = false;
    return over;
  };
};

/** Takes one window on connection demo while the family is read, by HTTP. */
export const sampleReads = async (api: APIRequestContext, state: State, redis: Redis): Promise<void> => {
  const headers = { authorization: `Bearer ${state.apiToken}` };
  const stop = await startReads(state.redisUrl);
  const data = { seconds: 1, present: await flagsOf(redis) };
  const answer = await api.post('/api/v1/connections/demo/caches/sample', { headers, data });
  await expectStatus(answer, 202);
  const { jobId } = (await answer.json()) as { jobId: string };
  const read = async () => (await (await api.get(`/api/v1/jobs/${jobId}`, { headers })).json()).state;
  await expect.poll(read, { timeout: 30_000 }).toBe('done');
  await stop();
};
