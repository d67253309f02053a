import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConnectionConfig, readEnv } from '@/lib/env';
import { type Sentinels, startSentinels } from '@/scripts/sentinels.mjs';
import { type ConnectionHandle, openConnection } from '../connections';
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
  const sentinel = {
    ...main!.sentinel,
    name: watched.name,
    nodes: watched.nodes,
  } as ConnectionConfig['sentinel'];
  handle = openConnection({ ...main!, url: null, sentinel });
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
