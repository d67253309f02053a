import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAnnotation } from '@/lib/annotations/commands';
import { listEntries } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { createFlagCommand, setFlagCommand } from '@/lib/flags/commands';
import type { Bucket } from '@/lib/history/bucket';
import { writeCensus } from '@/lib/history/census';
import { recordHistoryEvent } from '@/lib/history/events';
import { TtlCounts, writeFamilyTtls } from '@/lib/history/family-ttls';
import { readSeries } from '@/lib/history/reads';
import { serverHistory } from '@/lib/history/server-history';
import { RESOLUTIONS, writeSpan as writeServerSpan } from '@/lib/history/spans';
import { openConnection } from '@/lib/redis/connections';
import { store } from '@/lib/redis/store';
import { ExpiryWaves } from '@/lib/sampler/expiry-waves';
import { HOUR, iso, MINUTE, SECOND } from '@/lib/time';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { readHitRateChange } from './change';
import { hitRateContracts } from './schema';
import { type FamilySums, type HitRateSpan, type SpanSource, writeSpan } from './spans';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

/** A whole minute in the past, half an hour before the end of the range. */
const FROM = Math.floor((Date.now() - HOUR) / MINUTE) * MINUTE;
const TO = FROM + 30 * MINUTE;
const BEFORE = FROM - 30 * MINUTE;
const range = { from: iso(FROM), to: iso(TO) };

type Rate = [hits: number, misses: number];

const sums = ([hits, misses]: Rate): FamilySums => {
  const n = hits + misses;
  return [hits, misses, 1, hits * hits, hits * n, n * n];
};

const span = (at: number, families: Record<string, Rate>, left = 0, seconds = 1): HitRateSpan => ({
  at,
  seconds,
  windows: 1,
  cutShort: 0,
  reasons: [],
  left: [0, left],
  families: Object.fromEntries(Object.entries(families).map(([id, rate]) => [`discours.${id}`, sums(rate)])),
  total: [
    Object.values(families).reduce((sum, [hits]) => sum + hits, 0),
    Object.values(families).reduce((sum, [, misses]) => sum + misses, left),
  ],
});

/** One span a minute over both periods; `at` in minutes from the start of the range, negative before it. */
const observe = async (families: (minute: number) => Record<string, Rate>, source: SpanSource = 'sample') => {
  for (let minute = -30; minute < 30; minute++)
    await writeSpan(store(), 'main', source, span(FROM + minute * MINUTE, families(minute)));
};

const change = (input = range) => readHitRateChange(test.ctx, hitRateContracts.change.input.parse(input));

const bucket = (at: number, counts: Partial<Bucket>): Bucket => ({
  at,
  observedMs: 10 * SECOND,
  hits: 0,
  misses: 0,
  commands: 0,
  evicted: 0,
  expired: 0,
  latencyMs: 1,
  netInBytes: 0,
  netOutBytes: 0,
  usedMemoryBytes: 0,
  connectedClients: 1,
  ...counts,
});

const server = async (counts: (at: number) => Partial<Bucket>, from = BEFORE, to = TO) => {
  for (let at = from; at < to; at += 10 * SECOND)
    await writeServerSpan(serverHistory, store(), 'main', {
      resolution: RESOLUTIONS[0],
      span: bucket(at, counts(at)),
    });
};

describe('a drop of the hit rate', () => {
  it('is blamed on the families that miss more, in the order of what they add, with when it began', async () => {
    await observe((minute) => ({
      'author-id': minute < 10 ? [95, 5] : [45, 55],
      'topic-id': minute < 0 ? [90, 10] : [80, 20],
      shouts: [500, 500],
      metrics: [1, 0],
    }));
    const { families, tooFew, notAttributed } = await change();
    expect(families.map(({ family, share }) => [family, share])).toEqual([
      ['discours.author-id', 0.769],
      ['discours.topic-id', 0.231],
      ['discours.metrics', 0],
      ['discours.shouts', 0],
    ]);
    const [worst, second, , steady] = families;
    expect(worst).toMatchObject({
      source: 'sample',
      certain: true,
      cache: true,
      since: iso(FROM + 10 * MINUTE),
      before: { hits: 2850, misses: 150, hitRate: 0.95, missesPerSecond: 5, n: 3000 },
      now: { hitRate: (10 * 95 + 20 * 45) / 3000, missesPerSecond: 38.333 },
      additionalMissesPerSecond: 33.333,
    });
    expect(second).toMatchObject({ certain: true, since: iso(FROM), additionalMissesPerSecond: 10 });
    expect(steady).toMatchObject({ certain: false, since: null, additionalMissesPerSecond: 0 });
    expect(tooFew).toEqual([]);
    expect(notAttributed).toMatchObject({ share: 0 });
  });

  it('is not blamed on a family with too few look-ups, nor called certain within the errors', async () => {
    await observe((minute) => ({
      'author-id': minute < 0 ? [1, 0] : minute === 3 ? [0, 1] : [0, 0],
      'topic-id': minute % 2 === 0 ? [1, 0] : [1, minute < 0 ? 0 : 1],
    }));
    const { families, tooFew } = await change();
    expect(families.map(({ family }) => family)).toEqual(['discours.topic-id', 'discours.author-id']);
    expect(families[1]).toMatchObject({
      certain: false,
      since: null,
      before: { hitRate: 1, n: 30, tooFew: false },
      now: { hitRate: null, n: 1, tooFew: true, error: null },
    });
    expect(tooFew).toEqual([]);
    await test.empty();
    await observe((minute) => ({ shouts: minute % 10 === 0 ? [1, 1] : [0, 0] }));
    expect(await change()).toMatchObject({
      families: [],
      tooFew: [{ family: 'discours.shouts', share: null }],
    });
  });

  it('is taken from the application’s counters where there are any, and leaves what windows cannot attribute', async () => {
    await observe((minute) => ({ 'author-id': minute < 0 ? [9_000, 1_000] : [8_900, 1_100] }), 'counters');
    for (let minute = -30; minute < 30; minute++)
      await writeSpan(
        store(),
        'main',
        'sample',
        span(FROM + minute * MINUTE, { 'author-id': [10, 0] }, minute < 0 ? 0 : 25),
      );
    const { families, notAttributed } = await change();
    expect(families).toMatchObject([
      { family: 'discours.author-id', source: 'counters', certain: true, now: { error: 0 }, share: 0.8 },
    ]);
    expect(notAttributed).toMatchObject({ now: { misses: 750, missesPerSecond: 25 }, share: 0.2 });
  });

  it('makes no comparison where one of the periods was not observed', async () => {
    for (let minute = 0; minute < 30; minute++)
      await writeSpan(store(), 'main', 'sample', span(FROM + minute * MINUTE, { shouts: [50, 50] }));
    const { families, instance } = await change();
    expect(families).toMatchObject([
      { additionalMissesPerSecond: null, since: null, certain: false, share: 0 },
    ]);
    expect(instance).toMatchObject({ before: { hits: 0, hitRate: null }, additionalMissesPerSecond: null });
  });

  it('comes with what the catalog and the last count know of a family, and with the server’s own figures', async () => {
    await observe(() => ({ 'author-id': [10, 10] }));
    await server((at) => ({ hits: 90, misses: at < FROM ? 10 : 60 }));
    const ttls = new TtlCounts();
    for (let i = 0; i < 60; i++) ttls.add(5 * MINUTE, TO);
    await writeFamilyTtls(store(), 'main', new Map([['discours.author-id', ttls.finish(TO)]]));
    const counted = { keys: 60, memoryBytes: 1, withoutTtl: 0 };
    await writeCensus(store(), 'main', {
      startedAt: TO,
      finishedAt: TO,
      families: { 'discours.author-id': counted },
      unclassified: 0,
      malformed: 0,
    });
    const { families, instance } = await change();
    expect(families[0]).toMatchObject({
      keys: 60,
      nextExpiry: { keys: 60, share: 1 },
      ttl: { documented: expect.any(String) },
    });
    expect(instance).toMatchObject({
      before: { hitRate: 0.9 },
      now: { hitRate: 0.6 },
      additionalMissesPerSecond: 5,
    });
  });

  it('refuses an invalid period', async () => {
    const input = hitRateContracts.change.input;
    for (const wrong of [
      { from: range.to, to: range.from },
      { from: '2020-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' },
      { from: '1970-01-01T00:00:00Z', to: '1970-01-02T00:00:00Z' },
      { ...range, stepSeconds: 1 },
    ])
      expect(input.safeParse(wrong).success).toBe(false);
  });
});

describe('what happened then', () => {
  const run = (command: never, raw: unknown, connection = test.handle) =>
    runCommand(command, { actor: testActor('product'), requestId: randomUUID(), connection, raw }) as Promise<
      Record<string, unknown> & { auditId: string }
    >;
  const eventsNow = async () =>
    (await change({ from: iso(Date.now() - HOUR), to: iso(Date.now() + MINUTE) })).events;

  it('is placed where it happened: evictions and expired keys of the server beside recorded events', async () => {
    await server((at) => ({
      evicted: at >= FROM + 5 * MINUTE && at < FROM + 6 * MINUTE ? 40 * 10 : 1,
      expired: at === FROM + 12 * MINUTE ? 900 : 2,
    }));
    const { events } = await change();
    expect(events).toMatchObject([
      { kind: 'eviction', at: iso(FROM + 5 * MINUTE), text: '2400 keys evicted within 60 s' },
      { kind: 'expiry', at: iso(FROM + 12 * MINUTE), text: '900 keys expired within 10 s', family: null },
    ]);
    await recordHistoryEvent(store(), 'main', { kind: 'restart', text: 'Restarted' });
    expect(await eventsNow()).toMatchObject([{ kind: 'eviction' }, { kind: 'expiry' }, { kind: 'restart' }]);
  });

  it('names the family of a wave of expired keys, unless its keys were written again', async () => {
    const counted = FROM;
    const due = (keys: number) => {
      const ttls = new TtlCounts();
      for (let i = 0; i < keys; i++) ttls.add(2 * MINUTE, counted);
      return ttls.finish(counted);
    };
    const ttls = new Map([
      ['discours.author-id', due(600)],
      ['discours.shouts', due(5000)],
    ]);
    await writeFamilyTtls(store(), 'main', ttls);
    await server((at) => ({ expired: at === counted + 2 * MINUTE ? 620 : 0 }), FROM, FROM + 5 * MINUTE);
    const waves = new ExpiryWaves(store(), 'main', test.ctx.catalog);
    await waves.check(counted + 2 * MINUTE + 15 * SECOND);
    expect((await change()).events.filter(({ family }) => family)).toEqual([]);
    await writeFamilyTtls(store(), 'main', new Map());
    await waves.check(counted + 3 * MINUTE);
    await waves.check(counted + 4 * MINUTE);
    expect((await change()).events).toMatchObject([
      {
        kind: 'expiry',
        family: 'discours.author-id',
        at: iso(counted + 2 * MINUTE),
        text: expect.stringContaining('600 keys expired within 10 s'),
      },
    ]);
  });

  it('includes changes of flags and their undo, and no failed request', async () => {
    registerUndoable([createFlagCommand, setFlagCommand, createAnnotation] as never);
    const created = await run(createFlagCommand as never, { name: 'FEATURE_CACHE', enabled: true });
    const set = await run(setFlagCommand as never, {
      name: 'FEATURE_CACHE',
      enabled: false,
      etag: created.etag,
    });
    await expect(
      run(setFlagCommand as never, { name: 'FEATURE_CACHE', enabled: true, etag: 'x' }),
    ).rejects.toMatchObject({ status: 412 });
    await runCommand(undoChange, {
      actor: testActor('product'),
      requestId: randomUUID(),
      connection: null,
      raw: { auditId: set.auditId },
    });
    expect(await eventsNow()).toMatchObject([
      { kind: 'flag', text: 'FEATURE_CACHE turned on', auditId: created.auditId },
      { kind: 'flag', text: 'FEATURE_CACHE turned off', auditId: set.auditId },
      { kind: 'flag', text: 'FEATURE_CACHE: change undone' },
    ]);
  });

  it('includes annotations at their own time, also on a read-only connection, until they are undone', async () => {
    const readOnly = openConnection({ ...test.handle.config, readOnly: true });
    const at = iso(FROM + MINUTE);
    const text = `Deploy 42 <script>\u202e eyJ${'a'.repeat(30)}.${'b'.repeat(30)}.${'c'.repeat(30)}`;
    const href = 'https://ci.example.org/42';
    const done = await run(createAnnotation as never, { at, text, href }, readOnly);
    readOnly.topology.close();
    await run(createAnnotation as never, { at: iso(FROM - MINUTE), text: 'Earlier' });
    const { events } = await change();
    expect(events).toMatchObject([
      { kind: 'annotation', text: 'Earlier', at: iso(FROM - MINUTE), href: null },
      {
        kind: 'annotation',
        at,
        href,
        auditId: done.auditId,
        text: expect.stringContaining('Deploy 42 <script>'),
      },
    ]);
    expect(JSON.stringify([events, (await listEntries(store())).items])).not.toContain('b'.repeat(30));
    const series = await readSeries(store(), 'main', { from: BEFORE, to: TO, stepMs: MINUTE }, Date.now());
    expect(series.events).toHaveLength(2);
    await runCommand(undoChange, {
      actor: testActor('product'),
      requestId: randomUUID(),
      connection: null,
      raw: { auditId: done.auditId },
    });
    expect((await change()).events).toMatchObject([{ text: 'Earlier' }]);
  });

  it('refuses an annotation with an invalid time, text or link, or without the permission', async () => {
    const text = 'Deploy';
    for (const wrong of [
      { at: iso(Date.now() + HOUR), text },
      { at: '2020-01-01T00:00:00Z', text },
      { at: 'yesterday', text },
      { at: range.from, text: ' ' },
      { at: range.from, text: 'x'.repeat(201) },
      { at: range.from, text, href: 'javascript:alert(1)' },
      { at: range.from, text, href: 'https://me:secret@ci.example.org' },
      { at: range.from, text, href: 'ci/42' },
      { at: range.from, text, kind: 'restart' },
    ])
      await expect(run(createAnnotation as never, wrong)).rejects.toMatchObject({ status: 400 });
    await expect(
      runCommand(createAnnotation, {
        actor: testActor('support'),
        requestId: 'r',
        connection: test.handle,
        raw: { at: range.from, text },
      }),
    ).rejects.toMatchObject({ status: 403 });
    expect((await change()).events).toEqual([]);
  });
});
