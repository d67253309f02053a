import { beforeAll, expect, it } from 'vitest';
import { handleRequest } from '@/lib/domains/interface';
import { configureInterface } from '@/scripts/testing/interface';

const send = async (method: string) => {
  const request = new Request('http://127.0.0.1:3000/api/auth/backchannel-logout', { method });
  return handleRequest(request);
};

beforeAll(() => {
  process.env.REDIS_URL = 'redis://127.0.0.1:1';
  configureInterface();
});

it('is answered before next-auth: POST only, and nothing without a provider', async () => {
  expect((await send('GET')).status).toBe(405);
  const answer = await send('POST');
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
});
