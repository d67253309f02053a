import { afterAll, beforeEach, expect, it } from 'vitest';
import { serverHistory } from '@/lib/history/server-history';
import { RESOLUTIONS, writeSpan } from '@/lib/history/spans';
import { MINUTE } from '@/lib/time';
import { testContext } from '@/scripts/testing/context';
import { previewRule } from './preview';
import { alertContracts, ruleTerms } from './schema';

const test = await testContext({ apps: ['discours', 'hawk'] });
afterAll(() => test.close());
beforeEach(() => test.empty());

const START = Math.floor(Date.now() / MINUTE) * MINUTE - 100 * MINUTE;
const clientsAt = (minute: number, connectedClients: number) =>
  writeSpan(serverHistory, test.ctx.store, test.handle.config.id, {
    resolution: RESOLUTIONS[1],
    span: {
      at: START + minute * MINUTE,
      observedMs: MINUTE,
      hits: 0,
      misses: 0,
      commands: 0,
      evicted: 0,
      expired: 0,
      netInBytes: 0,
      netOutBytes: 0,
      usedMemoryBytes: 1,
      connectedClients,
      latencyMs: null,
    },
  });

const preview = async (given: object, metric = 'keyward_redis_connected_clients') => {
  const rule = ruleTerms.parse({ source: { metric }, condition: 'above', value: 10, ...given });
  return alertContracts.preview.result.parse(await previewRule(test.ctx, rule));
};
const minutes = ({ fired }: Awaited<ReturnType<typeof preview>>) =>
  fired.map(({ at, until }) =>
    [at, until].map((time) => time && Math.round((Date.parse(time) - START) / MINUTE)),
  );

it('fires as the rule would have done, minute by minute', async () => {
  const clients = [5, 20, 20, 20, 5, 20, 5, 9, 30, 30];
  for (const [minute, count] of clients.entries()) await clientsAt(minute, count);
  expect(minutes(await preview({}))).toEqual([
    [1, 4],
    [5, 6],
    [8, null],
  ]);
  expect(minutes(await preview({ forSeconds: 100 }))).toEqual([
    [3, 4],
    [10, null],
  ]);
  expect(minutes(await preview({ clear: 5 }))).toEqual([
    [1, 4],
    [5, 6],
    [8, null],
  ]);
  expect(minutes(await preview({ condition: 'change', value: -10, windowSeconds: 60 }))).toEqual([
    [4, 5],
    [7, 8],
  ]);
  const { values, valueSeconds, stepSeconds } = await preview({});
  expect([valueSeconds, stepSeconds]).toEqual([600, 60]);
  expect(values!.length).toBeLessThanOrEqual(2);
});

it('counts all, and lists the last hundred', async () => {
  for (let minute = -300; minute < -20; minute++) await clientsAt(minute, minute % 2 ? 20 : 5);
  const { count, fired } = await preview({});
  expect(count).toBe(140);
  expect(fired).toHaveLength(100);
  expect(fired.map(({ until }) => until).indexOf(null)).toBe(99);
});

it('does not take for granted what was between samples', async () => {
  await clientsAt(0, 20);
  await clientsAt(30, 20);
  expect(minutes(await preview({ forSeconds: 300 }))).toEqual([]);
});

it('refuses a rule that would resolve while it fires, as the rule itself is', async () => {
  await clientsAt(-5, 20);
  await expect(preview({ value: 10, clear: 15 })).rejects.toMatchObject({
    message: 'clear: Must not be above the limit: it would resolve while it fires.',
  });
});

it('tells a figure without a history from one without samples', async () => {
  expect((await preview({})).values).toEqual([]);
  for (const metric of ['keyward_redis_keys', 'keyward_family_keys', 'nothing'])
    expect((await preview({}, metric)).values, metric).toBeNull();
});
