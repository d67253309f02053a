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

/** Repeats three hits and a miss on keys of one family, `topic:authors:` unless given, until `stop`. */
export const startReads = async (url: string, family = 'topic:authors:') => {
  const redis = new Redis(url);
  const id = uniqueId();
  const prefix = `${family}${id}`;
  const stored = [1, 2, 3].map((i) => `${prefix}${i}`);
  for (const key of stored) await redis.set(key, '[]');
  let running = true;
  const finished = (async () => {
    while (running) {
      await redis.mget(...stored, `${prefix}4`);
      await new Promise((next) => setImmediate(next));
    }
    await redis.unlink(...stored);
    redis.disconnect();
  })();
  const stop = () => {
    running = false;
    return finished;
  };
  return { id, stop };
};

/** Starts a job on connection demo and waits until it is done. */
const runJob = async (api: APIRequestContext, state: State, action: string, data: object): Promise<void> => {
  const headers = { authorization: `Bearer ${state.apiToken}` };
  const answer = await api.post(`/api/v1/connections/demo/${action}`, { headers, data });
  await expectStatus(answer, 202);
  const { jobId } = (await answer.json()) as { jobId: string };
  const read = async () => (await api.get(`/api/v1/jobs/${jobId}`, { headers })).json();
  const isOver = async () => ['done', 'failed', 'cancelled'].includes((await read()).state);
  await expect.poll(isOver, { timeout: 30_000 }).toBe(true);
  expect(await read()).toMatchObject({ state: 'done' });
};

const takeSample = async (api: APIRequestContext, state: State, redis: Redis): Promise<void> =>
  runJob(api, state, 'hit-rates/sample', { seconds: 1, present: await flagsOf(redis) });

const SAMPLES = 3;

/**
 * Invalidates the keys that are read, with samples before and after it, so the hit rate of their family falls from 75 %
 * to 0. It is another family than `SAMPLED`, whose rate other tests know. `since` is the time of the
 * invalidation, epoch ms.
 */
export const causeDrop = async (
  api: APIRequestContext,
  state: State,
  redis: Redis,
): Promise<{ since: number }> => {
  const { id, stop } = await startReads(state.redisUrl, 'topic:followers:');
  for (let i = 0; i < SAMPLES; i++) await takeSample(api, state, redis);
  const since = Date.now();
  await runJob(api, state, 'families/invalidate', {
    family: 'discours.topic-followers',
    params: { id: `${id}*` },
    reason: 'e2e: a deploy changed the followers of topics',
  });
  for (let i = 0; i < SAMPLES; i++) await takeSample(api, state, redis);
  await stop();
  return { since };
};
