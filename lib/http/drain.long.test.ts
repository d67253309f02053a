import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { forgetEnv } from '@/lib/configuration';
import { drain } from './drain';
import { guardIncoming } from './incoming';
import { shutdown } from './shutdown';

let server: Server;

beforeAll(() => {
  process.env.REDIS_URL = 'redis://127.0.0.1:1';
  forgetEnv();
  guardIncoming();
});
afterEach(() => {
  server.closeAllConnections();
  shutdown.forget();
});

/** A server that has begun to answer one request, whose body is not complete. */
const serving = async () => {
  let reached = () => {};
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  server = createServer(async (incoming, response) => {
    reached();
    response.end(await text(incoming).catch(() => 'cut off'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const asked = request({ port, method: 'POST', path: '/api/v1/x' });
  asked.on('error', () => undefined);
  asked.write('half ');
  await isReached;
  return { port, asked };
};

const isRefused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(false)).on('error', () => resolve(true));
    socket.unref();
  });

it('accepts no further connections, and waits for the requests that are being answered', async () => {
  const { port, asked } = await serving();
  const drained = drain(new AbortController().signal);
  expect(shutdown().signal.aborted).toBe(true);
  expect(await isRefused(port)).toBe(true);
  asked.end('and whole');
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  expect([answer.headers.connection, await text(answer)]).toEqual(['close', 'half and whole']);
  expect(await drained).toBe(0);
});

it('waits no longer than it may, and counts what was not answered', async () => {
  await serving();
  const late = new AbortController();
  const drained = drain(late.signal);
  late.abort();
  expect(await drained).toBe(1);
});
