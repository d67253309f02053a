import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature } from '@openfeature/server-sdk';
import type { APIRequestContext } from '@playwright/test';
import { Redis } from 'ioredis';
import { expect, type State, test } from './fixtures';

type Json = Record<string, unknown>;

/** An API token of its own, and calls in its name. */
const caller = async (api: APIRequestContext, state: State, name: string, role: string) => {
  const made = await api.post('/api/v1/api-tokens', {
    headers: { authorization: `Bearer ${state.apiToken}` },
    data: { name, role, expiresAt: null },
  });
  const { token } = (await made.json()) as { token: string };
  const send = async (method: string, path: string, data?: Json): Promise<[number, Json]> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await api.fetch(`/api/v1/connections/${path}`, { method, headers, data });
    return [answer.status(), (await answer.json()) as Json];
  };
  const flagOf = async (connection: string, name: string): Promise<Json | undefined> => {
    const [, { items }] = await send('GET', `${connection}/flags`);
    return (items as Json[]).find((flag) => flag.name === name);
  };
  return { token, send, flagOf };
};

test('a planned change is carried out at its time by the running console', async ({
  request,
  state,
  appRedis,
}) => {
  const name = 'FEATURE_E2E_PLANNED';
  const product = await caller(request, state, 'planner', 'product');
  const [status, { etag }] = await product.send('POST', 'demo/flags', {
    name,
    enabled: false,
    style: 'on/off',
  });
  expect(status).toBe(201);
  const at = new Date(Date.now() + 2500).toISOString();
  const [planned] = await product.send('POST', `demo/flags/${name}/schedule`, { enabled: true, at, etag });
  expect(planned).toBe(201);
  expect(await appRedis.get(`env_vars:${name}`)).toBe('off');
  await expect.poll(() => appRedis.get(`env_vars:${name}`), { timeout: 15_000 }).toBe('on');
  await expect.poll(async () => (await product.flagOf('demo', name))?.schedule).toEqual([]);
  expect(await product.flagOf('demo', name)).toMatchObject({
    updatedBy: 'schedule, on behalf of API token planner',
  });
});

test('where two people are needed one asks and another approves', async ({ request, state }) => {
  const name = 'FEATURE_COMMENTS';
  const redis = new Redis(state.liveRedisUrl);
  const before = await redis.get(`env_vars:${name}`);
  const asking = await caller(request, state, 'asking', 'product');
  const approving = await caller(request, state, 'approving', 'product');
  const { etag } = (await asking.flagOf('live', name))!;
  const [alone, problem] = await asking.send('PUT', `live/flags/${name}`, { enabled: false, etag });
  expect([alone, problem.code]).toEqual([409, 'approval_required']);
  const [asked, answer] = await asking.send('POST', `live/flags/${name}/requests`, {
    enabled: false,
    etag,
    reason: 'it is spammed',
  });
  expect(asked).toBe(201);
  const { id } = answer.request as { id: string };
  expect((await asking.send('POST', `live/flags/requests/${id}/approve`, {}))[0]).toBe(403);
  expect(await redis.get(`env_vars:${name}`)).toBe(before);
  const [approved, done] = await approving.send('POST', `live/flags/requests/${id}/approve`, {});
  expect([approved, done.state]).toEqual([200, 'applied']);
  expect(await redis.get(`env_vars:${name}`)).toBe('0');
  expect(await asking.flagOf('live', name)).toMatchObject({
    request: null,
    updatedBy: 'API token asking, approved by API token approving',
    reason: 'it is spammed',
  });
  redis.disconnect();
});

test("OpenFeature's SDK evaluates flags through its remote evaluation protocol", async ({
  request,
  state,
  appRedis,
}) => {
  await appRedis.set('env_vars:FEATURE_E2E_OFREP', 'Yes');
  const { token, send } = await caller(request, state, 'application', 'evaluator');
  const clientWith = async (bearer: string) => {
    const headers: [string, string][] = [['Authorization', `Bearer ${bearer}`]];
    const baseUrl = `${state.baseUrl}/api/v1/connections/demo`;
    await OpenFeature.setProviderAndWait(bearer, new OFREPProvider({ baseUrl, headers }));
    return OpenFeature.getClient(bearer);
  };
  const client = await clientWith(token);
  expect(await client.getBooleanValue('FEATURE_E2E_OFREP', false, { targetingKey: 'u1' })).toBe(true);
  expect(await client.getBooleanDetails('JWT_SECRET', true)).toMatchObject({
    value: true,
    errorCode: 'FLAG_NOT_FOUND',
  });
  const stranger = await clientWith('kw_wrong');
  expect(await stranger.getBooleanDetails('FEATURE_E2E_OFREP', false)).toMatchObject({
    value: false,
    reason: 'ERROR',
  });
  expect((await send('GET', 'demo/flags'))[0]).toBe(403);
  const ask = (headers: Record<string, string> = {}) =>
    request.post('/api/v1/connections/demo/ofrep/v1/evaluate/flags', {
      headers: { authorization: `Bearer ${token}`, ...headers },
      data: {},
    });
  // Names that were looked up just before are good for a moment; values are always read.
  await expect.poll(async () => (await ask()).text()).toContain('"FEATURE_E2E_OFREP"');
  const first = await ask();
  const etag = first.headers().etag!;
  expect((await ask({ 'if-none-match': etag })).status()).toBe(304);
  await appRedis.set('env_vars:FEATURE_E2E_OFREP', 'No');
  const changed = await ask({ 'if-none-match': etag });
  expect(changed.status()).toBe(200);
  const { flags } = (await changed.json()) as { flags: { key: string; value?: unknown }[] };
  expect(flags.find(({ key }) => key === 'FEATURE_E2E_OFREP')?.value).toBe(false);
  await OpenFeature.close();
});
