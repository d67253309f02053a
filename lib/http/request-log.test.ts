import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { registerDomains } from '@/lib/domains/all';
import { closeConnections } from '@/lib/redis/connections';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { ask, configureInterface, User } from '@/scripts/testing/interface';

let test: TestContext;
beforeAll(async () => {
  process.env.KEYWARD_LOG_FORMAT = 'json';
  process.env.KEYWARD_LOG_REQUESTS = 'true';
  configureInterface();
  test = await testContext();
  closeConnections();
  registerDomains();
});
afterAll(async () => {
  closeConnections();
  await test.close();
});

it('logs each request by operation, user, status and duration, and nothing of its input', async () => {
  const user = await User.signedIn('ann@example.org', 'support');
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  const read = await ask('sessions.list', {}, user.headers);
  const refused = await ask('users.list', { q: 'somebody@example.org' }, user.headers);
  await ask('sessions.list', {}, {});
  vi.restoreAllMocks();
  const [first, second, third] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(first).toEqual({
    time: expect.any(String),
    level: 'info',
    message: 'request',
    requestId: read.headers.get('x-request-id'),
    operation: 'sessions.list',
    user: `user ${user.id}`,
    status: 200,
    durationMs: expect.any(Number),
  });
  expect(second).toMatchObject({
    operation: 'users.list',
    status: 403,
    requestId: refused.headers.get('x-request-id'),
  });
  expect(third).toMatchObject({ operation: 'sessions.list', user: null, status: 401 });
  expect(lines.join()).not.toMatch(/example\.org|session:/);
});
