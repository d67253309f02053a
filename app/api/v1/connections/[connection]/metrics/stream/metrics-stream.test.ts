import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiToken } from '@/lib/access/api-tokens';
import { publishLive } from '@/lib/history/live';
import { closeConnections } from '@/lib/redis/connections';
import { store } from '@/lib/redis/store';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { GET } from './route';

let test: TestContext;
let token: string;
beforeAll(async () => {
  test = await testContext();
  const viewer = { name: 'viewer', role: 'viewer', createdBy: 'x', expiresAt: null } as const;
  token = (await createApiToken(store(), viewer, Date.now())).token;
});
afterAll(async () => {
  closeConnections();
  await test.close();
});

/** A listener over HTTP, and what it was sent so far. */
const listen = async (lastEventId?: string) => {
  const client = new AbortController();
  const headers = {
    authorization: `Bearer ${token}`,
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  const request = new Request('http://127.0.0.1/x', { headers, signal: client.signal });
  const response = await GET(request, { params: Promise.resolve({ connection: 'main' }) });
  expect(response.status).toBe(200);
  let text = '';
  const ended = (async () => {
    for await (const chunk of response.body!) text += new TextDecoder().decode(chunk as Uint8Array);
  })();
  return {
    text: () => text,
    stop: () => {
      client.abort();
      return ended;
    },
  };
};

let count = 0;
const publish = () => publishLive(store(), 'main', { gap: `reason ${++count}`, at: Date.now() }, Date.now());

it.each(['99999999999999-0', '18446744073709551615-18446744073709551615', '0-0', 'garbage'])(
  'sends points to every viewer when one claims its last event was %s',
  async (absurd) => {
    const odd = await listen(absurd);
    const other = await listen();
    await expect
      .poll(async () => {
        await publish();
        return other.text();
      })
      .toContain('reason');
    await publish();
    await expect.poll(other.text).toContain(`reason ${count}"`);
    if (/^\d{1,15}-\d{1,10}$/.test(absurd)) await expect.poll(odd.text).toContain(`reason ${count}"`);
    else expect(odd.text()).toContain('Last-Event-ID is not an id of this stream.');
    await Promise.all([odd.stop(), other.stop()]);
  },
);

it('gives back more at once than a slow reader may leave pending without ending the stream', async () => {
  await publish();
  await Promise.all(Array.from({ length: 890 }, publish));
  const returning = await listen('0-0');
  await expect.poll(returning.text).toContain(`reason ${count}"`);
  await publish();
  await expect.poll(returning.text).toContain(`reason ${count}"`);
  await returning.stop();
});
