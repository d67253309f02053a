import { screen, within } from '@testing-library/react/pure';
import { beforeEach, expect, it } from 'vitest';
import Page from '@/app/(console)/[connection]/diagnostics/page';
import { analysisContracts } from '@/lib/analysis/schema';
import { type Diagnostics, diagnosticContracts, type KeyMemory } from '@/lib/diagnostics/schema';
import { insightContracts } from '@/lib/insights/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';

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
      ...{ usedBytes: 10 * 2 ** 20, peakBytes: 12 * 2 ** 20, rssBytes: 15 * 2 ** 20 },
      ...{ fragmentationRatio: 1.5, fragmentationBytes: 5 * 2 ** 20, overheadBytes: 2 ** 20 },
      ...{ datasetBytes: 9 * 2 ** 20, datasetShare: 0.9, clientBytes: null, bytesPerKey: null },
      ...{ maxMemoryBytes: null, policy: 'noeviction', evictedKeys: 0, evictedPerSecond: null },
    },
  },
  keys: {
    ...ok,
    figures: {
      ...{ countedAt: AT, keys: 1234, withoutTtl: 34, unclassified: 0, malformed: 0 },
      families: [{ ...topic, keys: 1234, memoryBytes: 2 ** 20, withoutTtl: 34, missingTtl: 0 }],
    },
  },
  expiry: {
    ...ok,
    state: 'attention',
    findings: ['waves'],
    figures: {
      ...{ countedAt: AT, withTtl: 1200, withoutTtl: 34, nextMinute: 600, nextHour: 600, nextDay: 1200 },
      ...{ expiredPerSecond: 2, staleShare: 0, bins: [{ from: 0, to: 60, keys: 600 }] },
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
      ...{ length: 1, maxLength: 128, thresholdMicros: 10_000, lastHour: 1, slowestMicros: 20_500 },
      entries: [
        {
          ...{ id: '7', at: AT, durationMicros: 20_500, command: 'MGET', families: [topic], keys: 3 },
          ...{ arguments: 3, client: '<img src=x>', own: false },
        },
      ],
    },
  },
  hotKeys: { ...ok, state: 'unknown', cause: 'notLfu', figures: null },
  clients: {
    ...ok,
    figures: {
      ...{ connected: 12, maxClients: 10_000, blocked: 1, rejected: 0 },
      ...{ listed: 12, idle: 0, idleLongestSeconds: 90, outputBytes: 0 },
      byName: [
        { name: '<script>', clients: 9, blocked: 1, idleSeconds: 90, outputBytes: 0, own: false },
        { name: 'keyward-read', clients: 3, blocked: 0, idleSeconds: 1, outputBytes: 0, own: true },
      ],
    },
  },
};

const serve = (change: Partial<Diagnostics> = {}): void =>
  api.answer(diagnosticContracts.get, { at: AT, sections: { ...DIAGNOSTICS, ...change } });

beforeEach(() => {
  serve();
  const counted = { unclassified: 0, malformed: 0, countedAt: AT, overlaps: [] };
  api.answer(insightContracts.families, { items: [], nextCursor: null, ...counted });
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
  within(memory).getByText(/Set maxmemory below/);
  within(memory).getByText(/may not use MEMORY STATS/);
  const link = within(memory).getByRole('link', { name: 'Run an analysis' });
  expect(link.getAttribute('href')).toBe('/demo/analysis');
  const keys = await section('Keys per family');
  within(keys).getByText('Nothing needs attention.');
  within(keys).getByRole('table', { name: 'Families by keys' });
  within(await section('Latency')).getByText(/CONFIG SET latency-monitor-threshold 100/);
  const states = screen.getByRole('region', { name: 'Sections by state' });
  expect(textOf(states)).toMatch(/Needs attention4.*OK2.*Unknown1/);
});

it('shows hostile names of clients as text', async () => {
  open();
  within(await section('Clients')).getByText('<script>');
  within(await section('Slow log')).getByText('<img src=x>');
  expect(document.querySelector('main img, section img')).toBeNull();
});

it('says why a section is unknown, and shows the others', async () => {
  const reason = 'Redis of connection "demo": its user may not use SLOWLOG|GET.';
  const slowLog = { ...DIAGNOSTICS.slowLog, state: 'unknown' as const, cause: 'notPermitted' as const };
  serve({ slowLog: { ...slowLog, reason, findings: [], figures: null } });
  open();
  const found = await section('Slow log');
  within(found).getByText('Unknown');
  within(found).getByText(reason);
  expect(within(found).queryByRole('table')).toBeNull();
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
    const found = await section(title);
    within(found).getByText('Your role sees counts only.');
    expect(within(found).queryByRole('table')).toBeNull();
  }
  expect(screen.queryByLabelText('Key name')).toBeNull();
});

it('measures one key, and says when it is estimated or refused', async () => {
  const measured: KeyMemory = {
    ...{ key: 'topic:id:7', keyId: 'dG9waWM', family: topic.family, title: topic.title, type: 'hash' },
    ...{ encoding: 'hashtable', length: 9000, memoryBytes: 2048, exact: false, ttlSeconds: null },
    ...{ idleSeconds: 60, frequency: null },
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
