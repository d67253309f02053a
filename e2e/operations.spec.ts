import type { APIRequestContext } from '@playwright/test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { allContracts } from '@/app/api/openapi.json/contracts';
import { urlOf } from '@/lib/api-client';
import type { Contract } from '@/lib/contract';
import { allows } from '@/lib/permissions';
import { expect, type State, test } from './fixtures';

/** The operations of the HTTP interface that this floor carries. */
const PROMISED = [
  'health.live health.ready connections.list connections.test overview.get metrics.series metrics.stream',
  'families.list flags.list flags.set flags.history',
  'sessions.list sessions.search sessions.stats sessions.user sessions.revoke sessions.repair',
  'tokens.oauth.list tokens.oauth.revoke tokens.verification.list tokens.verification.revoke',
  'tokens.oauthStates.list tokens.oauthStates.revoke',
  'guard.blacklist.list guard.blacklist.add guard.blacklist.remove',
  'guard.projects.list guard.projects.block guard.projects.unblock caches.preview caches.invalidate',
  'jobs.list jobs.get jobs.stream jobs.cancel audit.list audit.export audit.verify audit.undo',
  'users.list users.create users.update account.changePassword account.signOutEverywhere',
  'tokens.api.list tokens.api.create tokens.api.revoke',
]
  .join(' ')
  .split(' ');

const CONNECTION = 'demo';

interface Caller {
  api: APIRequestContext;
  state: State;
}

const send = (
  { api, state }: Caller,
  contract: Contract,
  input: Record<string, unknown>,
  token = state.apiToken,
) => {
  const data = contract.method === 'GET' ? undefined : input;
  const url = urlOf(contract, input, CONNECTION);
  const inPath = [...contract.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const body = data && Object.fromEntries(Object.entries(data).filter(([name]) => !inPath.includes(name)));
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  return api.fetch(url, { method: contract.method, headers, data: body, maxRedirects: 0 });
};

const contractOf = (id: string): Contract => {
  const found = allContracts.find((contract) => contract.id === id);
  if (!found) throw new Error(`no contract ${id}`);
  return found;
};

/** Calls an operation that must succeed; the answer holds what its contract declares. */
const succeed = async (caller: Caller, id: string, input: Record<string, unknown> = {}) => {
  const contract = contractOf(id);
  const answer = await send(caller, contract, input);
  const text = await answer.text();
  expect(answer.status(), `${id}: ${text.slice(0, 300)}`).toBe(contract.status ?? 200);
  return contract.result.parse(JSON.parse(text)) as Record<string, unknown>;
};

/** Input for the least an operation asks for; operations not named take none. */
const LEAST: Record<string, Record<string, unknown>> = {
  'metrics.series': { from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z' },
  'sessions.user': { userId: '1' },
  'sessions.revoke': { userId: '1' },
  'sessions.repair': { kinds: ['ghost'], dryRun: true },
  'tokens.oauth.revoke': { filter: { userId: '1' } },
  'tokens.verification.revoke': { filter: { userId: '1' } },
  'tokens.oauthStates.revoke': { filter: { provider: 'none' } },
  'flags.set': { name: 'FEATURE_NONE', enabled: true, etag: 'x' },
  'flags.history': { name: 'FEATURE_NONE' },
  'guard.blacklist.add': { ips: ['192.0.2.1'] },
  'guard.blacklist.remove': { ips: ['192.0.2.1'] },
  'guard.projects.block': { projectIds: ['0123456789abcdef01234567'] },
  'guard.projects.unblock': { projectIds: ['0123456789abcdef01234567'] },
  'caches.preview': { family: 'discours.shouts' },
  'caches.invalidate': { family: 'discours.shouts' },
  'jobs.get': { jobId: '00000000-0000-7000-8000-000000000000' },
  'jobs.stream': { jobId: '00000000-0000-7000-8000-000000000000' },
  'jobs.cancel': { jobId: '00000000-0000-7000-8000-000000000000' },
  'audit.undo': { auditId: '00000000-0000-7000-8000-000000000000' },
  'users.create': { email: 'x@example.org', name: 'X', role: 'viewer', password: 'long-enough-1' },
  'users.update': { id: '00000000-0000-7000-8000-000000000000', name: 'X' },
  'tokens.api.create': { name: 'x', role: 'viewer', expiresAt: null },
  'tokens.api.revoke': { id: '00000000-0000-7000-8000-000000000000' },
  'account.changePassword': { currentPassword: 'x', newPassword: 'long-enough-1' },
  'account.setup': { code: 'x', email: 'x@example.org', name: 'X', password: 'long-enough-1' },
};

const closed = allContracts.filter((contract) => contract.permission !== 'public');

test('the description is valid OpenAPI 3.1 and names every operation once', async ({ request }) => {
  const document = await (await request.get('/api/openapi.json')).json();
  expect(document.openapi).toMatch(/^3\.1\./);
  const { valid, errors } = await new Validator().validate(document);
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  const ids = Object.values(
    document.paths as Record<string, Record<string, { operationId: string }>>,
  ).flatMap((path) => Object.values(path).map((operation) => operation.operationId));
  expect(new Set(ids).size).toBe(ids.length);
  expect(PROMISED.filter((id) => !ids.includes(id))).toEqual([]);
});

test('without credentials, and with bad ones, every closed operation answers 401', async ({
  request,
  state,
}) => {
  for (const contract of closed) {
    for (const token of ['', 'kw_not-a-token']) {
      const answer = await send({ api: request, state }, contract, LEAST[contract.id] ?? {}, token);
      expect(answer.status(), contract.id).toBe(401);
      expect(answer.headers()['content-type']).toContain('application/problem+json');
      expect(await answer.json()).toMatchObject({ status: 401, code: 'unauthenticated' });
    }
  }
});

test('each role is refused exactly what the table refuses it', async ({ request, state }) => {
  const admin = { api: request, state };
  for (const role of ['support', 'product', 'viewer', 'evaluator'] as const) {
    const { token } = (await succeed(admin, 'tokens.api.create', {
      name: `walk ${role}`,
      role,
      expiresAt: null,
    })) as {
      token: string;
    };
    for (const contract of closed) {
      if (contract.stream || allows(role, contract.permission)) continue;
      const answer = await send(admin, contract, LEAST[contract.id] ?? {}, token);
      expect(answer.status(), `${role} ${contract.id}`).toBe(403);
      expect(await answer.json()).toMatchObject({ code: 'forbidden' });
    }
  }
});

test('unknown fields are refused by name', async ({ request, state }) => {
  for (const contract of closed) {
    const input = { ...LEAST[contract.id], nonsense: '1' };
    const answer = await send({ api: request, state }, contract, input);
    expect(answer.status(), contract.id).toBe(400);
    const { errors } = (await answer.json()) as { errors: { path: string }[] };
    expect(
      errors.map((error) => error.path),
      contract.id,
    ).toContain('nonsense');
  }
});

test('malformed, mistyped and oversized bodies are refused clearly', async ({ request, state }) => {
  const url = urlOf(contractOf('guard.projects.block'), {}, CONNECTION);
  const headers = { authorization: `Bearer ${state.apiToken}`, 'content-type': 'application/json' };
  const post = (data: Buffer | string, more: Record<string, string> = {}) =>
    request.fetch(url, { method: 'POST', headers: { ...headers, ...more }, data });
  const code = async (answer: Awaited<ReturnType<typeof post>>) => [
    answer.status(),
    (await answer.json()).code,
  ];
  expect(await code(await post(Buffer.from('{"projectIds":')))).toEqual([400, 'bad_input']);
  expect(await code(await post(Buffer.from('[1,2]')))).toEqual([400, 'bad_input']);
  expect(await code(await post(Buffer.from([0x7b, 0xff, 0x7d])))).toEqual([400, 'bad_input']);
  expect(await code(await post(Buffer.from('{"projectIds":"abc"}')))).toEqual([400, 'bad_input']);
  expect(await code(await post(Buffer.from('{"projectIds":["xyz"]}')))).toEqual([400, 'bad_input']);
  expect(await code(await post('a=1', { 'content-type': 'text/plain' }))).toEqual([400, 'bad_input']);

  const flag = urlOf(contractOf('flags.set'), { name: 'FEATURE_NONE' }, CONNECTION);
  const big = JSON.stringify({ enabled: true, etag: 'x', reason: 'r'.repeat(2 * 1024 * 1024) });
  expect(await code(await request.fetch(flag, { method: 'PUT', headers, data: Buffer.from(big) }))).toEqual([
    413,
    'too_large',
  ]);
});

test('a change by cookie from another origin is refused', async ({ signInAs, state }) => {
  const page = await signInAs('admin');
  const url = state.baseUrl + urlOf(contractOf('guard.blacklist.add'), {}, CONNECTION);
  const options = { method: 'POST', data: { ips: ['192.0.2.77'] } };
  const foreign = await page.request.fetch(url, { ...options, headers: { origin: 'https://evil.example' } });
  expect(foreign.status()).toBe(403);
  expect(await foreign.json()).toMatchObject({ code: 'wrong_origin' });
  expect((await page.request.fetch(url, options)).status()).toBe(403);
  const basic = await page.request.fetch(url, { ...options, headers: { authorization: 'Basic eDp5' } });
  expect(basic.status()).toBe(403);
});

test('reads answer as they say', async ({ request, state }) => {
  const caller = { api: request, state };
  await succeed(caller, 'health.live');
  await succeed(caller, 'health.ready');
  const { items } = (await succeed(caller, 'connections.list')) as { items: { id: string }[] };
  expect(items.map((item) => item.id)).toEqual(['demo', 'live', 'locked', 'gone']);
  expect(await succeed(caller, 'connections.test')).toMatchObject({ ok: true, supported: true });
  await succeed(caller, 'overview.get');
  await succeed(caller, 'families.list');
  const now = Date.now();
  const range = {
    from: new Date(now - 60_000).toISOString(),
    to: new Date(now).toISOString(),
    stepSeconds: '10',
  };
  await succeed(caller, 'metrics.series', range);
  await succeed(caller, 'sessions.list', { limit: '5' });
  await succeed(caller, 'sessions.user', { userId: '1' });
  expect(await succeed(caller, 'sessions.stats')).toMatchObject({ counting: false });
  const search = await (await send(caller, contractOf('sessions.search'), { username: 'a' })).text();
  expect(search).toContain('event: progress');
  expect(search).toContain('"reason":"complete"');
  await succeed(caller, 'tokens.oauth.list', { limit: '5' });
  await succeed(caller, 'tokens.verification.list', { limit: '5' });
  await succeed(caller, 'tokens.oauthStates.list', { limit: '5' });
  await succeed(caller, 'flags.list');
  await succeed(caller, 'guard.blacklist.list');
  await succeed(caller, 'guard.projects.list');
  await succeed(caller, 'caches.preview', { family: 'discours.author-id' });
  await succeed(caller, 'jobs.list');
  await succeed(caller, 'audit.list');
  await succeed(caller, 'audit.verify');
  await succeed(caller, 'users.list');
  await succeed(caller, 'tokens.api.list');
  await succeed(caller, 'account.get');
  const csv = await send(caller, contractOf('audit.export'), {});
  expect(csv.status()).toBe(200);
  expect(await csv.text()).toContain('id,at,actor');
});

test('changes answer as they say, with their audit entry and undo', async ({ request, state, appRedis }) => {
  const caller = { api: request, state };
  const ip = '2001:db8::77';
  const added = await succeed(caller, 'guard.blacklist.add', {
    ips: ['2001:DB8:0::77', '10.1.2.3', '1.2.3.0/24'],
    reason: 'walk',
  });
  expect(added).toMatchObject({
    added: 1,
    items: [{ ip, status: 'added' }, { status: 'protected' }, { status: 'invalid' }],
  });
  expect(await appRedis.sismember('BlacklistIPsSet', ip)).toBe(1);
  expect(await succeed(caller, 'audit.undo', { auditId: added.auditId })).toMatchObject({
    undone: 1,
    conflicts: [],
  });
  expect(await appRedis.sismember('BlacklistIPsSet', ip)).toBe(0);
  const again = await send(caller, contractOf('audit.undo'), { auditId: added.auditId });
  expect(again.status()).toBe(409);

  const projectId = 'abcdefabcdefabcdefabcdef';
  await succeed(caller, 'guard.projects.block', { projectIds: [projectId] });
  expect(await appRedis.sismember('DisabledProjectsSet', projectId)).toBe(1);
  expect(await succeed(caller, 'guard.projects.unblock', { projectIds: [projectId] })).toMatchObject({
    removed: 1,
  });

  await appRedis.set('env_vars:FEATURE_WALK', 'Yes');
  const { items } = (await succeed(caller, 'flags.list')) as {
    items: { name: string; etag: string }[];
  };
  const { etag } = items.find((item) => item.name === 'FEATURE_WALK')!;
  expect(await succeed(caller, 'flags.set', { name: 'FEATURE_WALK', enabled: false, etag })).toMatchObject({
    raw: 'No',
  });
  const stale = await send(caller, contractOf('flags.set'), { name: 'FEATURE_WALK', enabled: true, etag });
  expect(stale.status()).toBe(412);
  expect((await stale.json()).etag).not.toBe(etag);
  const history = (await succeed(caller, 'flags.history', { name: 'FEATURE_WALK' })) as {
    items: unknown[];
  };
  expect(history.items[0]).toMatchObject({ from: 'Yes', to: 'No' });
});

test('an invalidation is a job that can be followed to its end', async ({ request, state, appRedis }) => {
  const caller = { api: request, state };
  const pipeline = appRedis.pipeline();
  for (let id = 1; id <= 500; id++) pipeline.set(`topic_content:${id}`, 'x');
  await pipeline.exec();
  const { jobId } = (await succeed(caller, 'caches.invalidate', { family: 'discours.topic-content' })) as {
    jobId: string;
  };
  const stream = await send(caller, contractOf('jobs.stream'), { jobId });
  expect(stream.headers()['content-type']).toContain('text/event-stream');
  expect(await stream.text()).toContain('event: end');
  expect(await succeed(caller, 'jobs.get', { jobId })).toMatchObject({
    state: 'done',
    result: { matched: 500, deleted: 500, vanished: 0 },
  });
  const over = await send(caller, contractOf('jobs.cancel'), { jobId });
  expect(over.status()).toBe(409);
});

test('a read-only connection refuses changes, and a production asks for its id', async ({
  request,
  state,
}) => {
  const headers = { authorization: `Bearer ${state.apiToken}` };
  const post = (connection: string, data: unknown) =>
    request.post(urlOf(contractOf('guard.blacklist.add'), {}, connection), { headers, data });
  const locked = await post('locked', { ips: ['192.0.2.9'] });
  expect([locked.status(), (await locked.json()).code]).toEqual([423, 'read_only']);
  const many = { ips: ['192.0.2.8', '192.0.2.9'] };
  const unconfirmed = await post('live', many);
  expect([unconfirmed.status(), (await unconfirmed.json()).code]).toEqual([400, 'confirmation_required']);
  expect((await post('live', { ...many, confirm: 'live' })).status()).toBe(200);
});

test('a Redis that does not answer is a 503 that names the connection', async ({ request, state }) => {
  const headers = { authorization: `Bearer ${state.apiToken}` };
  const answer = await request.get('/api/v1/connections/gone/overview', { headers });
  expect(answer.status()).toBe(503);
  expect(await answer.json()).toMatchObject({ code: 'redis_unavailable', connection: 'gone' });
  const tried = await request.post('/api/v1/connections/gone/test', { headers, data: {} });
  expect(await tried.json()).toMatchObject({
    ok: false,
    reason: expect.stringContaining('nothing is listening'),
  });
});
