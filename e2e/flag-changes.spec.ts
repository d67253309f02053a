import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature } from '@openfeature/server-sdk';
import type { APIRequestContext } from '@playwright/test';
import { Redis } from 'ioredis';
import { expectStatus } from './expect-status';
import { expect, type State, test } from './fixtures';
import { uniqueName } from './unique';

type Json = Record<string, unknown>;

/** An API token of its own, and calls in its name. */
const caller = async (api: APIRequestContext, state: State, name: string, role: string) => {
  const made = await api.post('/api/v1/api-tokens', {
    headers: { authorization: `Bearer ${state.apiToken}` },
    data: { name, role, expiresAt: null },
  });
  const { token } = (await made.json()) as { token: string };
  const send = async (expected: number, method: string, path: string, data?: Json): Promise<Json> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await api.fetch(`/api/v1/connections/${path}`, { method, headers, data });
    await expectStatus(answer, expected, `${method} ${path}`);
    return (await answer.json()) as Json;
  };
  const flagOf = async (connection: string, name: string): Promise<Json | undefined> => {
    const { items } = await send(200, 'GET', `${connection}/flags`);
    return (items as Json[]).find((flag) => flag.name === name);
  };
  return { token, send, flagOf };
};

test('a scheduled change runs at its time', { tag: '@long' }, async ({ request, state, appRedis }) => {
  const name = uniqueName('FEATURE_E2E_PLANNED_*');
  const product = await caller(request, state, 'planner', 'product');
  const made = { name, enabled: false, style: 'on/off' };
  const { etag } = await product.send(201, 'POST', 'demo/flags', made);
  const at = new Date(Date.now() + 2500).toISOString();
  await product.send(201, 'POST', `demo/flags/${name}/schedule`, { enabled: true, at, etag });
  expect(await appRedis.get(`env_vars:${name}`)).toBe('off');
  await expect.poll(() => appRedis.get(`env_vars:${name}`), { timeout: 15_000 }).toBe('on');
  await expect.poll(async () => (await product.flagOf('demo', name))?.schedule).toEqual([]);
  expect(await product.flagOf('demo', name)).toMatchObject({
    updatedBy: 'schedule, on behalf of API token planner',
  });
});

test('where approval is needed one requests and a user approves', { tag: '@long' }, async ({
  request,
  state,
  anotherAs,
}) => {
  const name = uniqueName('FEATURE_E2E_TWO_*');
  const redis = new Redis(state.liveRedisUrl);
  await redis.set(`env_vars:${name}`, '1');
  const asking = await caller(request, state, 'asking', 'product');
  const token = await caller(request, state, 'approving', 'product');
  const { request: approving } = await anotherAs('admin');
  // A list that was cached for another caller does not have it yet.
  await expect.poll(() => asking.flagOf('live', name)).toBeDefined();
  const { etag } = (await asking.flagOf('live', name))!;
  const change = { enabled: false, etag };
  expect(await asking.send(409, 'PUT', `live/flags/${name}`, change)).toMatchObject({
    code: 'approval_required',
  });
  const asked = { ...change, reason: 'it is spammed' };
  const answer = await asking.send(201, 'POST', `live/flags/${name}/requests`, asked);
  const { id } = answer.request as { id: string };
  const approval = `live/flags/requests/${id}/approve`;
  for (const client of [asking, token]) await client.send(403, 'POST', approval, {});
  expect(await redis.get(`env_vars:${name}`)).toBe('1');
  const headers = { origin: state.baseUrl };
  const approved = await approving.post(`/api/v1/connections/${approval}`, { headers, data: {} });
  await expectStatus(approved, 200);
  expect(await approved.json()).toMatchObject({ state: 'applied' });
  expect(await redis.get(`env_vars:${name}`)).toBe('0');
  expect(await asking.flagOf('live', name)).toMatchObject({
    request: null,
    updatedBy: `API token asking, approved by ${state.accounts.find(({ role }) => role === 'admin')?.email}`,
    reason: 'it is spammed',
  });
  redis.disconnect();
});

test("OpenFeature's SDK evaluates flags through its remote evaluation protocol", async ({
  request,
  state,
  appRedis,
}) => {
  const name = uniqueName('FEATURE_E2E_OFREP_*');
  await appRedis.set(`env_vars:${name}`, 'Yes');
  const { token, send } = await caller(request, state, 'application', 'evaluator');
  const clientWith = async (bearer: string) => {
    const headers: [string, string][] = [['Authorization', `Bearer ${bearer}`]];
    const baseUrl = `${state.baseUrl}/api/v1/connections/demo`;
    await OpenFeature.setProviderAndWait(bearer, new OFREPProvider({ baseUrl, headers }));
    return OpenFeature.getClient(bearer);
  };
  const client = await clientWith(token);
  expect(await client.getBooleanValue(name, false, { targetingKey: 'u1' })).toBe(true);
  expect(await client.getBooleanDetails('JWT_SECRET', true)).toMatchObject({
    value: true,
    errorCode: 'FLAG_NOT_FOUND',
  });
  const stranger = await clientWith('kw_wrong');
  expect(await stranger.getBooleanDetails(name, false)).toMatchObject({
    value: false,
    reason: 'ERROR',
  });
  await send(403, 'GET', 'demo/flags');
  const ask = (headers: Record<string, string> = {}) =>
    request.post('/api/v1/connections/demo/ofrep/v1/evaluate/flags', {
      headers: { authorization: `Bearer ${token}`, ...headers },
      data: {},
    });
  // Names are cached for a moment; values are always read.
  await expect.poll(async () => (await ask()).text()).toContain(`"${name}"`);
  // Another test may change a flag between the two calls.
  let etag = '';
  const unchanged = async (): Promise<number> => {
    etag = (await ask()).headers().etag!;
    return (await ask({ 'if-none-match': etag })).status();
  };
  await expect.poll(unchanged).toBe(304);
  await appRedis.set(`env_vars:${name}`, 'No');
  const changed = await ask({ 'if-none-match': etag });
  await expectStatus(changed, 200);
  const { flags } = (await changed.json()) as { flags: { key: string; value?: unknown }[] };
  expect(flags.find(({ key }) => key === name)?.value).toBe(false);
  await OpenFeature.close();
});
