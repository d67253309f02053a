import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { parseInfo } from './info';
import { Listener } from './monitor-listener';
import { readClock, readCounters } from './server-counters';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
afterAll(() => test.close());

it('knows what waits for it by the id that its connection has already', async () => {
  const listener = new Listener(
    test.handle.topology.primaries()[0]!,
    test.redis,
    () => undefined,
    () => true,
  );
  expect(await listener.waitingBytes()).toBeNull();
  try {
    await listener.open(await readClock(test.redis));
    expect(await listener.waitingBytes()).toBeGreaterThanOrEqual(0);
  } finally {
    listener.close();
  }
  const calls = [...parseInfo(await test.redis.info('commandstats')).keys()];
  expect(calls).toContain('cmdstat_monitor');
  expect(calls).not.toContain('cmdstat_client|id');
  expect(await listener.waitingBytes()).toBeNull();
});

it('listens also where its user may not use ECHO', async () => {
  const listener = new Listener(
    test.handle.topology.primaries()[0]!,
    test.redis,
    () => undefined,
    () => true,
  );
  await test.redis.call(
    'ACL',
    'SETUSER',
    'default',
    'nocommands',
    '+monitor',
    '+client',
    '+hello',
    '+info',
    '+acl',
  );
  try {
    // Without ECHO it is taken for one that escapes.
    await listener.open(null);
    expect(listener.isOpen).toBe(true);
  } finally {
    listener.close();
    await test.redis.call('ACL', 'SETUSER', 'default', '+@all');
  }
});

it('reads what was sent, however the server quotes it', async () => {
  const sent = ['q"q', 'c:\\x41', '"', '\\', '', '{"a":"é"}', '\u0000\u001b\r\n'];
  const heard: (string | undefined)[] = [];
  const listener = new Listener(
    test.handle.topology.primaries()[0]!,
    test.redis,
    (line) => heard.push(line.bytes(1)?.toString()),
    () => true,
  );
  try {
    await listener.open(await readClock(test.redis));
    for (const text of sent) await test.redis.echo(text);
    await listener.pause();
    expect(listener.isWhole).toBe(true);
    expect(heard).toEqual(sent);
  } finally {
    listener.close();
  }
});

it('reads the time of each command with the counters, in one go', async () => {
  await test.redis.config('RESETSTAT');
  const { times, inCommands } = await readCounters(test.redis);
  // Redis 6.2 does not tell subcommands apart.
  expect([...times!.keys()]).toEqual(
    expect.arrayContaining([expect.stringMatching(/^config(\|resetstat)?$/)]),
  );
  const micros = [...times!.values()].reduce((sum, each) => sum + each.micros, 0);
  expect(inCommands).toBeCloseTo(micros / 1000, 6);
  const { calls } = (await readCounters(test.redis)).times!.get('info')!;
  expect(calls).toBe(5);
});
