import { screen, within } from '@testing-library/react/pure';
import { beforeEach, expect, it } from 'vitest';
import Page from '@/app/(console)/[connection]/diagnostics/page';
import { type AnalysisReport, analysisContracts } from '@/lib/analysis/schema';
import { urlOf } from '@/lib/api-client';
import { type Diagnostics, diagnosticContracts, type KeyMemory } from '@/lib/diagnostics/schema';
import { familyContracts } from '@/lib/families/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { familyRow } from '@/scripts/testing/family-row';
import { renderAt, textOf } from '@/scripts/testing/render';
import { cellOf, rowsOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();
const AT = new Date().toISOString();
const ok = { state: 'ok' as const, cause: null, reason: null, missing: [], findings: [] };
const topic = { family: 'discours.topic', title: 'Topics', pattern: 'topic:id:{id}' };

const DIAGNOSTICS: Diagnostics = {
  memory: {
    ...ok,
    state: 'attention',
    findings: ['noLimit'],
    missing: ['MEMORY STATS'],
    figures: {
      usedBytes: 10 * 2 ** 20,
      peakBytes: 12 * 2 ** 20,
      rssBytes: 15 * 2 ** 20,
      fragmentationRatio: 1.5,
      fragmentationBytes: 5 * 2 ** 20,
      overheadBytes: 2 ** 20,
      datasetBytes: 9 * 2 ** 20,
      datasetShare: 0.9,
      clientBytes: null,
      bytesPerKey: null,
      maxMemoryBytes: 0,
      policy: null,
      evictedKeys: null,
      evictedPerSecond: null,
    },
  },
  keys: {
    ...ok,
    figures: {
      countedAt: AT,
      keys: 1234,
      withoutTtl: 34,
      unclassified: 0,
      malformed: 0,
      families: [{ ...topic, keys: 1234, memoryBytes: 2 ** 20, withoutTtl: 34, missingTtl: 0 }],
    },
  },
  expiry: {
    ...ok,
    state: 'attention',
    findings: ['waves'],
    figures: {
      countedAt: AT,
      withTtl: 1200,
      withoutTtl: 34,
      nextMinute: 600,
      nextHour: 600,
      nextDay: 1200,
      expiredPerSecond: 2,
      staleShare: 0,
      bins: [{ from: 0, to: 60, keys: 600 }],
      waves: [{ ...topic, at: new Date(Date.now() + 60_000).toISOString(), widthSeconds: 10, keys: 600 }],
    },
  },
  latency: {
    ...ok,
    state: 'attention',
    findings: ['monitorOff'],
    figures: { roundTripMs: 0.5, thresholdMs: 0, events: [] },
  },
  slowLog: {
    ...ok,
    state: 'attention',
    findings: ['recent'],
    figures: {
      length: 1,
      maxLength: 128,
      thresholdMicros: 10_000,
      lastHour: 1,
      slowestMicros: 20_500,
      entries: [
        {
          id: '7',
          at: AT,
          durationMicros: 20_500,
          command: 'MGET',
          families: [topic],
          keys: 3,
          arguments: 3,
          client: '<img src=x>',
          own: false,
          node: null,
        },
      ],
    },
  },
  hotKeys: { ...ok, state: 'unknown', cause: 'notLfu', figures: null },
  clients: {
    ...ok,
    figures: {
      connected: 12,
      maxClients: 10_000,
      blocked: 1,
      rejected: 0,
      listed: 12,
      idle: 0,
      idleLongestSeconds: 90,
      outputBytes: 0,
      byName: [
        { name: '<script>', clients: 9, blocked: 1, idleSeconds: 90, outputBytes: 0, own: false },
        { name: 'keyward-read', clients: 3, blocked: 0, idleSeconds: 1, outputBytes: 0, own: true },
      ],
    },
  },
};

const BIG: AnalysisReport['biggest'][number] = {
  key: 'cart:•••',
  keyId: 'Y2FydDo3',
  family: 'shop.cart',
  type: 'hash',
  memoryBytes: 900 * 1024,
  length: 4000,
  ttlSeconds: null,
};

/** The newest analysis, with these big keys. */
const serveAnalysis = (change: Partial<AnalysisReport> = {}): void => {
  const summary = { id: '00000000-0000-4000-8000-000000000003', at: AT, complete: true, share: 1 };
  const counted = { resumable: false, exact: false, scheduled: false, keys: 9, memoryBytes: 2 ** 20 };
  const none = { families: 0, unclassified: 0 };
  api.answer(analysisContracts.list, { items: [{ ...summary, ...counted, ...none }], nextCursor: null });
  api.answer(analysisContracts.get, {
    ...summary,
    ...counted,
    change: null,
    since: null,
    withoutTtl: 0,
    biggest: [BIG],
    byType: [],
    byEncoding: [],
    families: [],
    expiries: [],
    ttl: [],
    unclassified: [],
    malformed: { keys: 0, memoryBytes: 0 },
    own: { keys: 0, memoryBytes: 0 },
    size: null,
    idle: null,
    lengths: { bytes: null, elements: null },
    detailed: 9,
    walk: null,
    reason: null,
    ...change,
  });
};

const serve = (change: Partial<Diagnostics> = {}): void =>
  api.answer(diagnosticContracts.get, { at: AT, missingNodes: [], sections: { ...DIAGNOSTICS, ...change } });

beforeEach(() => {
  serve();
  const counted = { unclassified: 0, malformed: 0, countedAt: AT, overlaps: [] };
  api.answer(familyContracts.list, { items: [], nextCursor: null, ...counted });
  api.answer(analysisContracts.list, { items: [], nextCursor: null });
});

const open = (role: 'admin' | 'viewer' = 'admin') => renderAt('/demo/diagnostics', <Page />, { role });

/** The section with this title, once it is there. */
const section = async (title: string): Promise<HTMLElement> => {
  const heading = await screen.findByRole('heading', { name: title, level: 2 });
  return heading.closest('section')!;
};

it('shows each section with its state, figures, and what to do', async () => {
  open();
  const memory = await section('Memory');
  await within(memory).findByText('Needs attention');
  expect(textOf(memory)).toContain('Used10 MiB');
  expect(textOf(memory)).toContain('1.5 · 5 MiB');
  expect(textOf(memory)).toContain('LimitNone');
  expect(textOf(memory)).toContain('Policy—');
  expect(textOf(memory)).toContain('Evicted—');
  within(memory).getByText(/Set maxmemory below/);
  within(memory).getByText(/may not run MEMORY STATS, or the server does not have it/);
  const link = within(memory).getByRole('link', { name: 'Analysis' });
  expect(link.getAttribute('href')).toBe('/demo/analysis');
  const keys = await section('Keys per family');
  within(keys).getByText('Nothing needs attention.');
  within(keys).getByRole('table', { name: 'Families by keys' });
  within(await section('Latency')).getByText(/CONFIG SET latency-monitor-threshold 100/);
  const states = screen.getByRole('region', { name: 'Sections by state' });
  expect(textOf(states)).toMatch(/Needs attention4.*OK2.*Unknown1/);
});

it('shows hostile names of clients as text', { tags: ['long'] }, async () => {
  open();
  within(await section('Clients')).getByText('<script>');
  within(await section('Slow log')).getByText('<img src=x>');
  expect(document.querySelector('main img, section img')).toBeNull();
});

it('says why a section is unknown, and shows the others', { tags: ['long'] }, async () => {
  const reason = 'Redis of connection "demo": its user may not use SLOWLOG|GET.';
  const slowLog = { ...DIAGNOSTICS.slowLog, state: 'unknown' as const, cause: 'notPermitted' as const };
  serve({ slowLog: { ...slowLog, reason, findings: [], figures: null } });
  open();
  const slowLogSection = await section('Slow log');
  within(slowLogSection).getByText('Unknown');
  within(slowLogSection).getByText(reason);
  expect(within(slowLogSection).queryByRole('table')).toBeNull();
  within(await section('Hot keys')).getByText(/needs allkeys-lfu or volatile-lfu/);
  within(await section('Clients')).getByText('OK');
});

it('shows viewers counts, and no key to measure', async () => {
  const { slowLog, clients } = DIAGNOSTICS;
  serve({
    slowLog: { ...slowLog, figures: { ...slowLog.figures!, entries: null } },
    clients: { ...clients, figures: { ...clients.figures!, byName: null } },
  });
  open('viewer');
  for (const title of ['Slow log', 'Clients']) {
    const region = await section(title);
    within(region).getByText('Your role sees counts only.');
    expect(within(region).queryByRole('table')).toBeNull();
  }
  expect(screen.queryByLabelText('Key name')).toBeNull();
});

it('shows the biggest keys of the newest analysis, to viewers without names', {
  tags: ['long'],
}, async () => {
  serveAnalysis();
  const first = open();
  within(await section('Big keys')).getByRole('heading', { name: 'Big keys' });
  expect((await screen.findByRole('link', { name: 'cart:•••' })).getAttribute('href')).toBe(
    '/demo/keys/Y2FydDo3',
  );
  first.unmount();
  open('viewer');
  const panel = await section('Big keys');
  await within(panel).findByText('Your role sees counts only.');
  expect(textOf(panel)).not.toContain('cart');
});

it('says that there are no big keys only once it knows', { tags: ['long'] }, async () => {
  const answer = api.hold(analysisContracts.list, { items: [], nextCursor: null });
  const first = open();
  const panel = await section('Big keys');
  expect(within(panel).queryByText('No analysis yet.')).toBeNull();
  answer();
  await within(panel).findByText('No analysis yet.');
  first.unmount();
  api.refuse(analysisContracts.list, 'not_found', 'There is no list.');
  const second = open();
  await within(await section('Big keys')).findByText(/There is no list/);
  second.unmount();
  serveAnalysis({ memoryBytes: null, biggest: [] });
  open();
  await within(await section('Big keys')).findByText(/^Not measured/);
});

it('orders families by lookups per second of the time observed', async () => {
  const row = (family: string, hits: number, windowSeconds: number) =>
    familyRow(family, { title: family, hits, misses: 0, source: 'counters', windowSeconds });
  api.answer(familyContracts.list, {
    // Counters cover the hour, windows three seconds of it.
    items: [row('counted', 3600, 3600), row('sampled', 90, 3), row('unused', 0, 3600)],
    nextCursor: null,
    unclassified: 0,
    malformed: 0,
    countedAt: AT,
    overlaps: [],
  });
  open();
  await section('Hottest families');
  await rowWith('sampled');
  const rows = rowsOf('Hottest families');
  expect(rows.map((row) => [cellOf(row, 'Family'), cellOf(row, 'Look-ups/s')])).toEqual([
    ['sampled', '30/s'],
    ['counted', '1/s'],
  ]);
});

it('gives a sample’s figures, and says that it is only a sample', async () => {
  const figures = { sampled: 2000, of: 1_000_000, sampledAt: AT, keys: [], families: [] };
  serve({ hotKeys: { ...ok, state: 'unknown', cause: 'onlySample', figures } });
  open();
  const panel = await section('Hot keys');
  expect(textOf(panel)).toContain('2,000 of 1,000,000');
  within(panel).getByText(/^Only some keys were sampled/);
  expect(within(panel).queryByText('Nothing needs attention.')).toBeNull();
});

it('marks commands of the console, and says why no client is listed', async () => {
  const { slowLog, clients } = DIAGNOSTICS;
  const entries = slowLog.figures!.entries!.map((entry) => ({ ...entry, client: 'keyward-read', own: true }));
  const unlisted = { listed: null, idle: null, idleLongestSeconds: null, outputBytes: null, byName: null };
  serve({
    slowLog: { ...slowLog, figures: { ...slowLog.figures!, entries } },
    clients: { ...clients, figures: { ...clients.figures!, ...unlisted, connected: 4000 } },
  });
  open();
  within(await section('Slow log')).getByText('keyward-read (this console)');
  within(await section('Clients')).getByText(/^More than 1,000 clients are not listed/);
});

it('marks the clients of the console apart from others of the same name', async () => {
  const { clients } = DIAGNOSTICS;
  const [, own] = clients.figures!.byName!;
  const byName = [own!, { ...own!, clients: 2, own: false }];
  serve({ clients: { ...clients, figures: { ...clients.figures!, byName } } });
  open();
  await rowWith('keyward-read');
  const names = rowsOf('Clients by name').map((row) => cellOf(row, 'Name').trim());
  expect(names).toEqual(['keyward-read (this console)', 'keyward-read']);
});

it('asks about a key outside the address, and about none whose name looks like a secret', async () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg';
  expect(urlOf(diagnosticContracts.key, { name: 'topic:id:7' }, 'demo')).not.toContain('topic');
  const { user } = open();
  const panel = await section('Memory of one key');
  await user.click(within(panel).getByLabelText('Key name'));
  await user.paste(`session:5:${token}`);
  within(panel).getByText(/looks like a secret/);
  await user.keyboard('{Enter}');
  expect(within(panel).getByRole('button', { name: 'Measure key' }).hasAttribute('disabled')).toBe(true);
  expect(api.asked(diagnosticContracts.key)).toEqual([]);
});

it('measures one key, and says when it is estimated or refused', { tags: ['long'] }, async () => {
  const measured: KeyMemory = {
    key: 'topic:id:7',
    keyId: 'dG9waWM',
    family: topic.family,
    title: topic.title,
    type: 'hash',
    encoding: 'hashtable',
    length: 9000,
    memoryBytes: 2048,
    exact: false,
    ttlSeconds: null,
    idleSeconds: 60,
    frequency: null,
  };
  api.answer(diagnosticContracts.key, measured);
  const { user } = open();
  const panel = await section('Memory of one key');
  expect(within(panel).getByRole('button', { name: 'Measure key' }).hasAttribute('disabled')).toBe(true);
  await user.type(within(panel).getByLabelText('Key name'), 'topic:id:7');
  await user.click(within(panel).getByRole('button', { name: 'Measure key' }));
  const link = await within(panel).findByRole('link', { name: 'topic:id:7' });
  expect(link.getAttribute('href')).toBe('/demo/keys/dG9waWM');
  expect(api.asked(diagnosticContracts.key)).toEqual([{ name: 'topic:id:7' }]);
  expect(textOf(panel)).toContain('2 KiB (estimated from five elements)');
  expect(textOf(panel)).toContain('Does not expire');
  expect(window.location.search).toBe('');
  api.refuse(diagnosticContracts.key, 'not_found', 'This key was not found.');
  await user.click(within(panel).getByRole('button', { name: 'Measure key' }));
  await within(panel).findByText(/This key was not found/);
  expect(within(panel).queryByRole('link', { name: 'topic:id:7' })).toBeNull();
});

it('shows why nothing can be read', async () => {
  api.refuse(diagnosticContracts.get, 'not_found', 'There is no such connection.');
  open();
  await screen.findByText(/There is no such connection/);
});
