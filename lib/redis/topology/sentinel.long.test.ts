import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readEnv } from '@/lib/configuration';
import { type Sentinels, startSentinels } from '@/scripts/sentinels.mjs';
import { behindSentinels } from '@/scripts/testing/behind-sentinels';
import { type ConnectionHandle, openConnection } from '../connections';
import { isSameDatabase } from '../same-database';
import { connectedProcess } from '../server-process';
import { makeWriter } from '../writer';

let watched: Sentinels;
let handle: ConnectionHandle;
const key = Buffer.from('session:1');

beforeAll(async () => {
  watched = await startSentinels({ replicas: 2 });
  const [main] = readEnv({
    ...process.env,
    REDIS_URL: 'redis://127.0.0.1:1',
    KEYWARD_CONFIG: '',
  }).connections;
  handle = behindSentinels(main!, watched);
});
afterAll(async () => {
  handle.topology.close();
  await watched.stop();
});

const place = () => handle.topology.primaries()[0]!.id;

it('reads and writes on the primary that the Sentinels name', async () => {
  const writer = makeWriter(handle);
  await writer.write(['SADD', key, 'a']);
  expect(await handle.reader.read(['TYPE', key])).toBe('set');
  expect(place()).toBe(`127.0.0.1:${(await watched.primary())!.port}`);
  expect(handle.role()).toBe('primary');
});

it('is the same database as the one that a URL leads to', async () => {
  const { url } = (await watched.primary())!;
  const byUrl = openConnection({ ...handle.config, id: 'by-url', url, sentinel: null });
  await Promise.all([connectedProcess(byUrl), connectedProcess(handle)]);
  expect(isSameDatabase(handle, byUrl)).toBe(true);
  byUrl.topology.close();
});

it('goes to the new primary after an ordered failover', async () => {
  const [before, from] = [await connectedProcess(handle), place()];
  const next = await watched.failover();
  await expect.poll(() => handle.reader.read(['TYPE', key]).catch(String), { timeout: 5000 }).toBe('set');
  await expect.poll(place, { timeout: 5000 }).toBe(`127.0.0.1:${next.port}`);
  expect(await connectedProcess(handle)).not.toBe(before);
  expect(place()).not.toBe(from);
  await makeWriter(handle).write(['SADD', key, 'b']);
  expect(await handle.reader.read(['SCARD', key])).toBe(2);
});

it('goes to the new primary after the old one was killed', async () => {
  const old = (await watched.primary())!;
  old.process.kill('SIGKILL');
  const next = await watched.untilPrimaryIsNot(old);
  await expect.poll(() => handle.reader.read(['TYPE', key]).catch(String), { timeout: 5000 }).toBe('set');
  await expect.poll(place, { timeout: 5000 }).toBe(`127.0.0.1:${next.port}`);
});

it('leaves a primary that is silent, with every client', async () => {
  const node = handle.topology.primaries()[0]!;
  const dedicated = node.dedicated('window-monitor');
  await Promise.all([dedicated.ready(), makeWriter(handle).write(['SADD', key, 'c'])]);
  const old = (await watched.primary())!;
  old.process.kill('SIGSTOP');
  const next = await watched.untilPrimaryIsNot(old);
  await expect.poll(() => handle.reader.read(['TYPE', key]).catch(String), { timeout: 2000 }).toBe('set');
  expect(place()).toBe(`127.0.0.1:${next.port}`);
  expect(dedicated.redis.status).toBe('end');
  await expect
    .poll(() => node.clients().map((client) => client.address()))
    .toEqual(node.clients().map(() => `127.0.0.1:${next.port}`));
});

it('has one connection to each Sentinel, whatever the number of clients', async () => {
  for (const { url } of watched.sentinels) {
    const redis = new Redis(url);
    const list = String(await redis.call('CLIENT', 'LIST'));
    redis.disconnect();
    const own = list.split('\n').filter((line) => line.includes('name=keyward-'));
    expect(own).toEqual([expect.stringMatching(/name=keyward-sentinel .* sub=2 /)]);
  }
});
