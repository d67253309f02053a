import { randomInt } from 'node:crypto';
import type { APIRequestContext } from '@playwright/test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { urlOf } from '@/lib/api-client';
import type { Contract } from '@/lib/contract';
import { minimalInput } from '@/scripts/testing/minimal-input';
import { BIG_ROOM, DAMAGE } from '../scripts/demo-traffic/social/damage';
import { allContracts } from './contracts';
import { expectStatus } from './expect-status';
import { expect, type State, test } from './fixtures';
import { etagOf } from './flag-list';
import { uniqueName, uniqueProject } from './unique';

const CONNECTION = 'demo';

interface Caller {
  api: APIRequestContext;
  state: State;
  connection?: string;
}

const send = (
  { api, state, connection = CONNECTION }: Caller,
  contract: Contract,
  input: Record<string, unknown>,
  token = state.apiToken,
) => {
  const data = contract.method === 'GET' ? undefined : input;
  const url = urlOf(contract, input, connection);
  const inPath = [...contract.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const body = data && Object.fromEntries(Object.entries(data).filter(([name]) => !inPath.includes(name)));
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  return api.fetch(url, { method: contract.method, headers, data: body, maxRedirects: 0 });
};

const contractOf = (id: string): Contract => {
  const contract = allContracts.find((contract) => contract.id === id);
  if (!contract) throw new Error(`no contract ${id}`);
  return contract;
};

/** Calls an operation that must succeed; the answer holds what its contract declares. */
const succeed = async (caller: Caller, id: string, input: Record<string, unknown> = {}) => {
  const contract = contractOf(id);
  const answer = await send(caller, contract, input);
  const text = await answer.text();
  expect(answer.status(), `${id}: ${text.slice(0, 300)}`).toBe(contract.status ?? 200);
  return contract.result.parse(JSON.parse(text)) as Record<string, unknown>;
};

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
  expect(allContracts.map(({ id }) => id).filter((id) => !ids.includes(id))).toEqual([]);
});

/** app/api/access.test.ts has every operation with every caller; this tests the server itself, once in each way. */
test('credentials are asked for by token, by cookie and of a stream', async ({
  request,
  state,
  signInAs,
}) => {
  const admin = { api: request, state };
  const made = await succeed(admin, 'tokens.api.create', {
    name: 'walk viewer',
    role: 'viewer',
    expiresAt: null,
  });
  const viewer = (await signInAs('viewer')).request;
  for (const id of ['flags.list', 'sessions.list', 'sessions.search']) {
    const contract = contractOf(id);
    const url = state.baseUrl + urlOf(contract, {}, CONNECTION);
    const refused = id === 'flags.list' ? 200 : 403;
    for (const token of ['', 'kw_not-a-token']) {
      const answer = await send(admin, contract, {}, token);
      await expectStatus(answer, 401, id);
      expect(answer.headers()['content-type']).toContain('application/problem+json');
      expect(await answer.json()).toMatchObject({ status: 401, code: 'unauthenticated' });
    }
    await expectStatus(await send(admin, contract, {}, String(made.token)), refused, id);
    await expectStatus(await viewer.get(url), refused, id);
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
  await expectStatus(foreign, 403);
  expect(await foreign.json()).toMatchObject({ code: 'wrong_origin' });
  await expectStatus(await page.request.fetch(url, options), 403);
  const basic = await page.request.fetch(url, { ...options, headers: { authorization: 'Basic eDp5' } });
  await expectStatus(basic, 403);
});

test('reads answer as they say', async ({ request, state }) => {
  const caller = { api: request, state };
  await succeed(caller, 'health.live');
  await succeed(caller, 'health.ready');
  const { items } = (await succeed(caller, 'connections.list')) as { items: { id: string }[] };
  expect(items.map((item) => item.id)).toEqual([
    'demo',
    'live',
    'locked',
    'gone',
    'aside',
    'shop',
    'social',
    'careful',
    'cluster',
  ]);
  expect(await succeed(caller, 'connections.test')).toMatchObject({ ok: true, supported: true });
  await succeed(caller, 'overview.get');
  await succeed(caller, 'families.list');
  const now = Date.now();
  const range = {
    from: new Date(now - 60_000).toISOString(),
    to: new Date(now).toISOString(),
    stepSeconds: '10',
  };
  await succeed(caller, 'history.series', range);
  expect(await succeed(caller, 'history.series', { ...range, compare: 'true' })).toMatchObject({
    before: { to: range.from },
  });
  const figures = await send(caller, contractOf('history.export'), range);
  expect([figures.status(), (await figures.text()).slice(0, 14)]).toEqual([200, 'at,hits,misses']);
  await succeed(caller, 'families.ttl', { family: 'discours.shouts' });
  expect(await succeed(caller, 'hitRates.get', range)).toMatchObject({ instance: { label: 'instance' } });
  expect(await succeed(caller, 'hitRates.sampling.get')).toMatchObject({ monitor: { allowed: true } });
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
  const { flags } = (await succeed(caller, 'ofrep.evaluateAll')) as { flags: { key: string }[] };
  expect(await succeed(caller, 'ofrep.evaluate', { key: 'FEATURE_COMMENTS' })).toMatchObject({ value: true });
  expect(flags.map(({ key }) => key)).toContain('FEATURE_COMMENTS');
  await succeed(caller, 'env.list', { q: 'smtp' });
  await succeed(caller, 'env.history', { name: 'A=B/%41 <x>' });
  await succeed(caller, 'env.backups.list', { limit: '5' });
  await succeed(caller, 'guard.blacklist.list');
  await succeed(caller, 'guard.projects.list');
  await succeed(caller, 'guard.rateLimits.list', { sort: 'count', limit: '5' });
  await succeed(caller, 'guard.rateLimits.whatIf', minimalInput(contractOf('guard.rateLimits.whatIf')));
  await succeed(caller, 'guard.rateLimits.refused', minimalInput(contractOf('guard.rateLimits.refused')));
  await succeed(caller, 'families.preview', { family: 'discours.author-id' });
  await succeed(caller, 'jobs.list');
  await succeed(caller, 'audit.list');
  await succeed(caller, 'audit.verify');
  await succeed(caller, 'audit.status');
  await succeed(caller, 'users.list');
  await succeed(caller, 'tokens.api.list');
  await succeed(caller, 'account.get');
  const csv = await send(caller, contractOf('audit.export'), {});
  await expectStatus(csv, 200);
  expect(await csv.text()).toContain('id,at,actor');
});

test('entities, presence and conversations answer as they say', async ({ request, state, socialRedis }) => {
  const caller = { api: request, state, connection: 'social' };
  const user = { kind: 'minidouyin.user', id: '1' };
  const room = { kind: 'qianxun.room', id: `${BIG_ROOM.sub}:${BIG_ROOM.name}` };
  const kinds = (await succeed(caller, 'entities.kinds')) as { items: { ref: string }[] };
  expect(kinds.items.map(({ ref }) => ref)).toContain(user.kind);
  await succeed(caller, 'entities.search', { kind: 'qianxun.user', q: 'u1000' });
  expect(await succeed(caller, 'entities.get', user)).toMatchObject({ exists: true, id: '1' });
  const followers = { ...user, relation: 'followers', limit: '5' };
  expect((await succeed(caller, 'entities.relation', followers)).items).toHaveLength(5);
  await succeed(caller, 'conversations.list', { limit: '5' });
  expect(await succeed(caller, 'conversations.messages', room)).toMatchObject({
    messages: BIG_ROOM.messages + 1,
  });
  expect(await succeed(caller, 'presence.get')).toMatchObject({ withoutProfile: DAMAGE.withoutProfile });
  const now = Date.now();
  const range = { from: new Date(now - 60_000).toISOString(), to: new Date(now).toISOString() };
  await succeed(caller, 'presence.history', range);
  await succeed({ ...caller, connection: 'demo' }, 'views.top', { limit: '5' });
  await succeed({ ...caller, connection: 'demo' }, 'processes.list', { limit: '5' });

  const userId = uniqueName('walk-*');
  // With a profile: another test counts users online without one.
  await socialRedis.hset(`user:${userId}`, { nickname: 'Walk' });
  await socialRedis.sadd('onlines', userId);
  const offline = await succeed(caller, 'presence.setOffline', { userId, reason: 'walk' });
  expect(offline).toMatchObject({ removed: true });
  await succeed(caller, 'audit.undo', { auditId: offline.auditId });
  expect(await socialRedis.sismember('onlines', userId)).toBe(1);
  await socialRedis.srem('onlines', userId);
  await socialRedis.unlink(`user:${userId}`);

  const id = `9:${userId}`;
  await socialRedis.rpush(`topic:${id}`, 'Mia|1768478400|walk');
  const chat = { kind: room.kind, id };
  const { items } = (await succeed(caller, 'conversations.messages', chat)) as { items: { id: string }[] };
  const deleted = await succeed(caller, 'conversations.deleteMessage', { ...chat, messageId: items[0]!.id });
  expect(await socialRedis.exists(`topic:${id}`)).toBe(0);
  await succeed(caller, 'audit.undo', { auditId: deleted.auditId });
  expect(await socialRedis.lrange(`topic:${id}`, 0, -1)).toEqual(['Mia|1768478400|walk']);
  await socialRedis.unlink(`topic:${id}`);
});

test('changes answer as they say, with their audit entry and undo', async ({ request, state, appRedis }) => {
  const caller = { api: request, state };
  const host = randomInt(0x1000, 0x10000).toString(16);
  const ip = `2001:db8::${host}`;
  const added = await succeed(caller, 'guard.blacklist.add', {
    ips: [`2001:DB8:0::${host}`, '10.1.2.3', '1.2.3.0/24'],
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
  await expectStatus(again, 409);

  const projectId = uniqueProject();
  await succeed(caller, 'guard.projects.block', { projectIds: [projectId] });
  expect(await appRedis.sismember('DisabledProjectsSet', projectId)).toBe(1);
  expect(await succeed(caller, 'guard.projects.unblock', { projectIds: [projectId] })).toMatchObject({
    removed: 1,
  });

  const flag = uniqueName('FEATURE_WALK_*');
  await appRedis.set(`env_vars:${flag}`, 'Yes');
  const etag = await etagOf(request, state, flag);
  expect(await succeed(caller, 'flags.set', { name: flag, enabled: false, etag })).toMatchObject({
    raw: 'No',
  });
  const stale = await send(caller, contractOf('flags.set'), { name: flag, enabled: true, etag });
  await expectStatus(stale, 412);
  expect((await stale.json()).etag).not.toBe(etag);
  const history = (await succeed(caller, 'flags.history', { name: flag })) as {
    items: unknown[];
  };
  expect(history.items[0]).toMatchObject({ from: 'Yes', to: 'No' });

  const at = new Date(Date.now() + 60 * 60_000).toISOString();
  const name = { name: uniqueName('FEATURE_WALK_NEW_*') };
  const created = await succeed(caller, 'flags.create', { ...name, enabled: false });
  await succeed(caller, 'flags.describe', { ...name, description: 'Walks.' });
  const soon = { ...name, enabled: true, at, etag: created.etag };
  const { planned } = (await succeed(caller, 'flags.schedule', soon)) as { planned: { id: string } };
  await succeed(caller, 'flags.unschedule', { ...name, id: planned.id });
  const deleted = await succeed(caller, 'flags.delete', { ...name, etag: created.etag });
  expect(await appRedis.exists(`env_vars:${name.name}`)).toBe(0);
  expect(await succeed(caller, 'audit.undo', { auditId: deleted.auditId })).toMatchObject({ undone: 1 });
  const asked = await succeed(caller, 'flags.request', { ...name, enabled: true, etag: created.etag });
  const { id } = asked.request as { id: string };
  const own = await send(caller, contractOf('flags.approve'), { id });
  expect([own.status(), (await own.json()).code]).toEqual([403, 'forbidden']);
  await succeed(caller, 'flags.withdraw', { id });
});

test('a variable is made, shown, changed, renamed, deleted, brought back and backed up', async ({
  request,
  state,
  aside,
}) => {
  // A restore changes whatever differs.
  const caller = { api: request, state, connection: 'aside' };
  const stored = (name: string) => aside.get(`env_vars:${name}`);
  const name = uniqueName('WALK_*_TOKEN');
  const newName = uniqueName('WALK_*_KEY');
  const note = uniqueName('WALK_*_NOTE');
  const odd = uniqueName('WALK_*/%41 ?=é');
  const made = await succeed(caller, 'env.create', { name, value: 'walk-1' });
  const listed = await send(caller, contractOf('env.list'), { q: name });
  expect(await listed.text()).toContain('"value":null');
  expect(await succeed(caller, 'env.reveal', { name })).toMatchObject({ value: 'walk-1', etag: made.etag });
  const set = await succeed(caller, 'env.set', { name, value: 'walk-2', etag: made.etag });
  const stale = await send(caller, contractOf('env.set'), { name, value: 'walk-3', etag: made.etag });
  expect([stale.status(), (await stale.json()).etag]).toEqual([412, set.etag]);
  const doubtful = await send(caller, contractOf('env.create'), {
    name: uniqueName('WALK_*_PORT'),
    value: 'six',
  });
  expect([doubtful.status(), (await doubtful.json()).code]).toEqual([409, 'value_doubtful']);
  // A name is part of the path, so special characters must survive there.
  await aside.set(`env_vars:${odd}`, 'odd');
  expect(await succeed(caller, 'env.reveal', { name: odd })).toMatchObject({ value: 'odd' });
  await aside.del(`env_vars:${odd}`);

  const backup = await succeed(caller, 'env.backup', { passphrase: 'walk walk walk' });
  const renamed = await succeed(caller, 'env.rename', { name, newName, etag: set.etag });
  const deleted = await succeed(caller, 'env.delete', { name: newName, etag: renamed.etag });
  expect(await stored(newName)).toBeNull();
  await succeed(caller, 'audit.undo', { auditId: deleted.auditId });
  expect(await stored(newName)).toBe('walk-2');
  const history = (await succeed(caller, 'env.history', { name: newName })) as {
    items: { action: string }[];
  };
  expect(history.items.map(({ action }) => action)).toEqual([
    'audit.undo',
    'env.delete',
    'env.rename',
    'env.set',
    'env.reveal',
    'env.create',
  ]);

  const text = `${newName}=walk-4\n${note}="two\nlines"\n`;
  const { etag } = await succeed(caller, 'env.import', { text, dryRun: true });
  await succeed(caller, 'env.import', { text, etag });
  expect(await stored(note)).toBe('two\nlines');
  expect(await succeed(caller, 'env.export')).toMatchObject({
    text: expect.stringContaining(`${note}="two\\nlines"`),
  });
  const back = { file: backup.file, passphrase: 'walk walk walk' };
  const wrong = await send(caller, contractOf('env.restore'), { ...back, passphrase: 'wrong' });
  await expectStatus(wrong, 400);
  const diff = await succeed(caller, 'env.restore', { ...back, dryRun: true });
  await succeed(caller, 'env.restore', { ...back, etag: diff.etag });
  expect(await stored(name)).toBe('walk-2');
});

test('an invalidation is a job that can be followed to its end', async ({
  request,
  state,
  appRedis,
  reserve,
}) => {
  await reserve('discours.topic-content');
  const caller = { api: request, state };
  const pipeline = appRedis.pipeline();
  for (let id = 1; id <= 500; id++) pipeline.set(`topic_content:${id}`, 'x');
  await pipeline.exec();
  const { jobId } = (await succeed(caller, 'families.invalidate', { family: 'discours.topic-content' })) as {
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
  await expectStatus(over, 409);
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
  await expectStatus(await post('live', { ...many, confirm: 'live' }), 200);
});

test('a Redis that does not answer is a 503 that names the connection', async ({ request, state }) => {
  const headers = { authorization: `Bearer ${state.apiToken}` };
  const answer = await request.get('/api/v1/connections/gone/overview', { headers });
  await expectStatus(answer, 503);
  expect(await answer.json()).toMatchObject({ code: 'unreachable', connection: 'gone' });
  const tried = await request.post('/api/v1/connections/gone/test', { headers, data: {} });
  expect(await tried.json()).toMatchObject({
    ok: false,
    reason: expect.stringContaining('nothing is listening'),
  });
});
