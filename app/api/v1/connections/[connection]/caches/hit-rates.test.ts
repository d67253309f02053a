import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiToken } from '@/lib/access/api-tokens';
import type { RouteHandler } from '@/lib/http/routes';
import type { Role } from '@/lib/permissions';
import { closeConnections } from '@/lib/redis/connections';
import { store } from '@/lib/redis/store';
import { Sampler } from '@/lib/sampler/sampler';
import { iso } from '@/lib/time';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { GET as getTtl } from '../families/[family]/ttl/route';
import { GET as listFamilies } from '../families/route';
import { GET as exportFigures } from '../metrics/export/route';
import { GET as getSeries } from '../metrics/series/route';
import { GET as getHitRates } from './hit-rates/route';
import { GET as getSampling, PUT as setSampling } from './sampling/route';

let test: TestContext;

beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
afterAll(async () => {
  closeConnections();
  await test.close();
});

/** As Next would call a route. */
const ask = async (
  handler: RouteHandler,
  {
    query = {},
    body,
    role = 'product',
    ...params
  }: {
    query?: Record<string, string>;
    body?: unknown;
    role?: Role;
    family?: string;
  } = {},
): Promise<{ status: number; text: string; json: () => Record<string, unknown> }> => {
  const made = { name: 'x', role, createdBy: 'x', expiresAt: null };
  const { token } = await createApiToken(store(), made, Date.now());
  const request = new Request(`http://localhost/?${new URLSearchParams(query)}`, {
    method: body === undefined ? 'GET' : 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = await handler(request, { params: Promise.resolve({ connection: 'main', ...params }) });
  const text = await response.text();
  return { status: response.status, text, json: () => JSON.parse(text) as Record<string, unknown> };
};

it('goes from consent over the sampler to figures, and the flags are as before', async () => {
  await test.redis.mset('author:id:1', '{}', 'topic_shouts_1', '[]');
  const refused = await ask(setSampling, { body: { on: true, everySeconds: 60, forSeconds: 1 } });
  expect([refused.status, refused.json().present, refused.json().proposed]).toEqual([409, '', 'Em']);
  const viewer = await ask(setSampling, { role: 'viewer', body: { on: true, present: '' } });
  expect(viewer.status).toBe(403);
  const agreed = await ask(setSampling, { body: { on: true, present: '' } });
  expect([agreed.status, agreed.json().state]).toMatchObject([200, { on: true, dutyCycle: 1 / 60 }]);

  let reading = true;
  const load = (async () => {
    for (let id = 1; reading; id++)
      await test.redis.mget('author:id:1', `author:id:${id + 1}`, 'topic_shouts_1');
  })();
  const sampler = new Sampler(store(), [test.handle], 'one');
  await expect
    .poll(
      async () => {
        await sampler.tick();
        return (await ask(getSampling)).json().lastWindow;
      },
      { timeout: 20_000 },
    )
    .not.toBeNull();
  reading = false;
  await load;
  await sampler.close();
  expect(await test.redis.config('GET', 'notify-keyspace-events')).toEqual(['notify-keyspace-events', '']);

  const now = Date.now();
  const query = { from: iso(now - 600_000), to: iso(now + 1000), stepSeconds: '60' };
  const rates = await ask(getHitRates, { query, role: 'viewer' });
  expect(rates.status).toBe(200);
  const { families, notAttributed } = rates.json() as {
    families: { family: string; source: string; hitRate: number; coverage: number }[];
    notAttributed: object;
  };
  expect(notAttributed).toMatchObject({ hits: 0, misses: 0 });
  expect(families.map(({ family, source, coverage }) => [family, source, coverage])).toEqual([
    ['discours.author-id', 'sample', 1],
    ['discours.topic-shouts', 'sample', 1],
  ]);
  expect(families.map(({ hitRate }) => hitRate)).toEqual([expect.closeTo(0.5, 2), 1]);
  const rows = (await ask(listFamilies)).json().items as { family: string; source: string }[];
  expect(rows.find(({ family }) => family === 'discours.author-id')).toMatchObject({
    source: 'sample',
    coverage: 1,
    sampledAt: expect.any(String),
  });
  expect((await ask(getTtl, { family: 'discours.author-id' })).json()).toMatchObject({ withoutTtl: 1 });
  expect((await ask(getSeries, { query: { ...query, compare: 'true' } })).json()).toMatchObject({
    before: { to: query.from },
  });
  expect((await ask(exportFigures, { query })).text).toMatch(/^at,hits,misses,hitRate/);
  const wrong = await ask(getHitRates, { query: { ...query, to: query.from } });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('must be before')]);
});
