import { expect, it, vi } from 'vitest';
import { handleRequest } from '@/lib/domains/interface';
import * as openapi from '@/lib/http/openapi';

const ask = (headers: Record<string, string> = {}) =>
  handleRequest(new Request('http://127.0.0.1/api/openapi.json', { headers }));

it('makes the description once, however often it is asked for, and says when it is known already', {
  tags: ['long'],
}, async () => {
  process.env.REDIS_URL = 'redis://127.0.0.1:1';
  const made = vi.spyOn(openapi, 'openApi');
  const [first, second] = [await ask(), await ask()];
  const etag = first.headers.get('etag')!;
  expect(first.headers.get('content-type')).toBe('application/json');
  expect(await second.text()).toBe(await first.text());
  const known = await ask({ 'if-none-match': `W/${etag}` });
  expect([known.status, known.headers.get('etag'), await known.text()]).toEqual([304, etag, '']);
  expect((await ask({ 'if-none-match': '"another"' })).status).toBe(200);
  expect(made).toHaveBeenCalledTimes(1);
});
