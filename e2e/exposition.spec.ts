import { parsePrometheus } from '../scripts/testing/prometheus-text';
import { expectStatus } from './expect-status';
import { expect, test } from './fixtures';
import { uniqueId } from './unique';

test('Prometheus gets what the role of its token may see', async ({ request, state }) => {
  const tokenOf = async (role: string): Promise<string> => {
    const created = await request.post('/api/v1/api-tokens', {
      headers: { authorization: `Bearer ${state.apiToken}` },
      data: { name: `prometheus ${uniqueId()}`, role, expiresAt: null },
    });
    await expectStatus(created, 201);
    return ((await created.json()) as { token: string }).token;
  };
  const scrape = async (token: string) => {
    const answer = await request.get('/api/metrics', { headers: { authorization: `Bearer ${token}` } });
    await expectStatus(answer, 200);
    expect(answer.headers()['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    return parsePrometheus(await answer.text());
  };
  const names = async (token: string) => new Set((await scrape(token)).map(({ name }) => name));
  const [support, viewer] = [await tokenOf('support'), await tokenOf('viewer')];
  // The sampler has counted the demo's keys.
  await expect
    .poll(async () => (await names(support)).has('keyward_family_keys'), { timeout: 60_000 })
    .toBe(true);
  const seen = await scrape(support);
  expect(seen).toContainEqual({ name: 'keyward_redis_up', labels: { connection: 'demo' }, value: 1 });
  expect(seen.map(({ name }) => name)).toContain('keyward_guard_threshold_requests');
  const viewers = await names(viewer);
  expect(viewers).toContain('keyward_family_keys');
  expect([...viewers].filter((name) => /_(guard|queue|audit)_/.test(name))).toEqual([]);
  await expectStatus(await request.get('/api/metrics'), 401);
});
