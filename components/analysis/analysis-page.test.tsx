import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Analysis from '@/app/(console)/[connection]/analysis/page';
import {
  type AnalysisReport,
  type AnalysisSummary,
  analysisContracts,
  type BiggestKey,
  type FamilyAnalysis,
} from '@/lib/analysis/schema';
import { Problem } from '@/lib/errors';
import { familyContracts } from '@/lib/families/schema';
import { jobContracts } from '@/lib/jobs/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { JOB_ID, jobOf } from '@/scripts/testing/job';
import { renderAt, textOf } from '@/scripts/testing/render';
import { cellOf, rowsOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();

const NEW = '00000000-0000-4000-8000-000000000003';
const HALF = '00000000-0000-4000-8000-000000000002';
const OLD = '00000000-0000-4000-8000-000000000001';
const MIB = 1024 * 1024;
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

const SUMMARIES: AnalysisSummary[] = [
  { id: NEW, at: ago(1), complete: true },
  { id: HALF, at: ago(60), complete: false },
  { id: OLD, at: ago(120), complete: true },
].map((each) => ({
  ...each,
  exact: false,
  keys: 1000,
  memoryBytes: 4 * MIB,
  families: 2,
  unclassified: 300,
  scheduled: false,
  share: each.complete ? 1 : 0.4,
  resumable: !each.complete,
}));

const BIG: BiggestKey = {
  key: 'cart:•••',
  keyId: 'Y2FydDo3',
  family: 'shop.cart',
  type: 'hash',
  memoryBytes: 900 * 1024,
  length: 4000,
  ttlSeconds: null,
};

const family = (id: string, change: Partial<FamilyAnalysis> = {}): FamilyAnalysis => ({
  family: id,
  app: 'shop',
  title: `Title of ${id}`,
  pattern: `${id}:{id}`,
  keys: 500,
  memoryBytes: 2 * MIB,
  change: null,
  withoutTtl: 20,
  types: { hash: 400, string: 100 },
  encodings: { listpack: 500 },
  ttl: { min: 60, max: 7200, histogram: [{ from: 60, to: 3600, keys: 480 }] },
  size: { of: 500, p50: 4096, p99: 8192, max: 900 * 1024, histogram: [{ from: 0, to: 8192, keys: 500 }] },
  lengths: { bytes: null, elements: null },
  idle: null,
  biggest: [BIG],
  ...change,
});

const grown = (keys: number, memoryBytes: number) => ({ keys, memoryBytes });

const report = (change: Partial<AnalysisReport> = {}): AnalysisReport => ({
  id: NEW,
  at: SUMMARIES[0]!.at,
  complete: true,
  share: 1,
  resumable: false,
  exact: false,
  scheduled: true,
  keys: 1000,
  memoryBytes: 4 * MIB,
  change: null,
  since: null,
  withoutTtl: 250,
  byType: [{ type: 'hash', keys: 800, memoryBytes: 3 * MIB, change: null }],
  byEncoding: [{ encoding: 'listpack', type: 'hash', keys: 800, memoryBytes: 3 * MIB, change: null }],
  families: [family('shop.cart'), family('shop.order', { keys: 200, memoryBytes: MIB })],
  malformed: { keys: 3, memoryBytes: 300 },
  own: { keys: 7, memoryBytes: 700 },
  biggest: [BIG, { ...BIG, key: 'log:1', keyId: 'bG9nOjE', family: null, type: 'list' }],
  expiries: [],
  ttl: [{ from: 60, to: 3600, keys: 750 }],
  size: null,
  idle: null,
  lengths: { bytes: null, elements: null },
  detailed: 1000,
  unclassified: [{ prefix: 'inv:', sample: ['inv:1'], keys: 300, memoryBytes: MIB / 2, change: null }],
  walk: {
    startedAt: ago(2),
    finishedAt: ago(2),
    parts: ['analysis'],
    keys: 1000,
    vanished: 0,
    calls: 9,
    serverMs: 1200,
    byScript: false,
    reason: 'EVAL is not permitted',
  },
  reason: null,
  ...change,
});

/** Compared with an earlier report: one family grew, one is new, one is gone. */
const compared = (): AnalysisReport =>
  report({
    since: SUMMARIES[2]!.at,
    change: grown(150, MIB),
    families: [
      family('shop.cart', { change: grown(-50, -MIB) }),
      family('shop.order', { keys: 200, memoryBytes: MIB, change: grown(200, MIB) }),
      family('shop.coupon', {
        keys: 0,
        memoryBytes: 0,
        change: grown(-9, -100),
        size: null,
        biggest: [],
      }),
    ],
  });

const serve = (answer: AnalysisReport = report(), list = SUMMARIES): void => {
  // Before `get`, whose path takes any id.
  api.answer(analysisContracts.scheduleGet, { every: 'daily', at: '03:00', nextAt: ago(-60) });
  api.answer(analysisContracts.list, { items: list, nextCursor: null });
  api.answer(analysisContracts.get, ({ since }) => (since === undefined ? report(answer) : compared()));
  api.answer(jobContracts.list, { items: [], nextCursor: null });
  api.answer(familyContracts.list, {
    items: [],
    nextCursor: null,
    unclassified: 0,
    malformed: 0,
    countedAt: ago(1),
    overlaps: [],
  });
};

const open = (search = '', options: Parameters<typeof renderAt>[2] = {}) =>
  renderAt(`/demo/analysis${search}`, <Analysis />, options);
const figures = () => textOf(screen.getByRole('region', { name: 'Report in figures' }));

it('compares the newest report with the complete one before it, and orders by what grew', {
  tags: ['long'],
}, async () => {
  serve();
  const { user } = open();
  await rowWith('Title of shop.cart');
  // The one between is partial: its differences would say nothing.
  expect(api.asked(analysisContracts.get).at(-1)).toEqual({ id: NEW, since: OLD });
  for (const text of ['Keys1,000+150 vs', 'Memory4 MiB+1 MiB vs', 'Families2', 'Unclassified300'])
    expect(figures().replace(/\u00a0/g, ' ')).toContain(text);
  const page = textOf(document.body).replace(/\u00a0/g, ' ');
  for (const text of ['memory estimated by the server', 'using 1.2 s of server time', 'read without scripts'])
    expect(page).toContain(text);
  await user.click(screen.getByRole('radio', { name: 'Largest growth' }));
  const rows = await waitFor(() => {
    const found = rowsOf('Families by memory');
    expect(textOf(found[0])).toContain('Title of shop.order');
    return found;
  });
  expect(rows.map((row) => [cellOf(row, '± Keys'), cellOf(row, '± Memory').replace(/\u00a0/g, ' ')])).toEqual(
    [
      ['+200', '+1 MiB'],
      ['−9', '−100 B'],
      ['−50', '−1 MiB'],
    ],
  );
  expect(textOf(rows[0])).toContain('new');
  expect(textOf(rows[1])).toContain('gone');
  expect(window.location.search).toBe('?by=memoryGrown');
});

it('compares with what is chosen, or with nothing', { tags: ['long'] }, async () => {
  serve();
  const { user } = open('?since=none');
  const row = await rowWith('Title of shop.cart');
  expect(api.asked(analysisContracts.get)).toEqual([{ id: NEW }]);
  expect((screen.getByRole('radio', { name: 'Largest growth' }) as HTMLInputElement).disabled).toBe(true);
  expect([cellOf(row, 'Share'), cellOf(row, 'Types')]).toEqual(['50.0%', 'hash, string']);
  await user.click(screen.getByRole('combobox', { name: 'Compare with' }));
  await user.click(await screen.findByRole('option', { name: /partial/ }));
  await waitFor(() => expect(api.asked(analysisContracts.get).at(-1)).toEqual({ id: NEW, since: HALF }));
  expect(window.location.search).toBe(`?since=${HALF}`);
});

it('runs an analysis, shows its progress and then its report', { tags: 'long' }, async () => {
  serve();
  api.answer(analysisContracts.start, { jobId: JOB_ID, auditId: 'audit-1' });
  const running = { action: 'analysis.start', state: 'running', finishedAt: null, mayCancel: true } as const;
  api.answer(jobContracts.get, jobOf({ ...running, unit: 'share', progress: 0.4, done: 400, total: 1000 }));
  // Nothing is changed, so a read-only connection allows it.
  const { user } = open('', { role: 'product', connection: { readOnly: true } });
  await rowWith('Title of shop.cart');
  await user.click(screen.getByRole('button', { name: 'Analyse now' }));
  const dialog = await screen.findByRole('dialog', { name: 'Analyse all keys' });
  await user.click(within(dialog).getByRole('radio', { name: 'Exact' }));
  await user.click(within(dialog).getByRole('button', { name: 'Start analysis' }));
  await screen.findByText('40.0%');
  screen.getByRole('button', { name: 'Cancel job…' });
  expect(api.asked(analysisContracts.start)).toEqual([{ exact: true }]);
  expect(window.location.search).toBe(`?job=${JOB_ID}`);
  expect((screen.getByRole('button', { name: 'Analyse now' }) as HTMLButtonElement).disabled).toBe(true);
  const before = api.asked(analysisContracts.list).length;
  api.answer(jobContracts.get, jobOf({ action: 'analysis.start' }));
  await waitFor(() => expect(screen.queryByText('Analysis in progress')).toBeNull(), { timeout: 10_000 });
  await waitFor(() => expect(api.asked(analysisContracts.list).length).toBeGreaterThan(before), {
    timeout: 10_000,
  });
  expect(window.location.search).toBe('');
});

it('does not compare exact with estimated memory unless chosen, and then says so', {
  tags: ['long'],
}, async () => {
  const exact = SUMMARIES.map((each) => ({ ...each, exact: each.id === NEW }));
  serve(report({ exact: true }), exact);
  const first = open();
  await rowWith('Title of shop.cart');
  expect(api.asked(analysisContracts.get)).toEqual([{ id: NEW }]);
  expect(screen.queryByText(/^One report has exact memory/)).toBeNull();
  first.unmount();
  open(`?since=${OLD}`);
  await screen.findByText(/^One report has exact memory/);
});

it('leads to the newest report when the one in the address is gone', { tags: ['long'] }, async () => {
  serve();
  const gone = '00000000-0000-4000-8000-000000000009';
  api.answer(analysisContracts.get, ({ id }) => {
    if (id === gone) throw new Problem('not_found', 'This report was not found.');
    return report();
  });
  const { user } = open(`?report=${gone}`);
  await screen.findByText('This report was not found.');
  expect(screen.queryByRole('tab')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Show newest report' }));
  await rowWith('Title of shop.cart');
  expect(window.location.search).toBe('');
});

it('says why there is no list of reports, and tries again', { tags: ['long'] }, async () => {
  serve();
  api.refuse(analysisContracts.list, 'not_found', 'There is no such connection.');
  const { user } = open();
  await screen.findByText('There is no such connection.');
  expect(screen.queryByRole('tab')).toBeNull();
  api.answer(analysisContracts.list, { items: SUMMARIES, nextCursor: null });
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await rowWith('Title of shop.cart');
});

it('keeps the report that is read when an analysis of somebody else ends', { tags: ['long'] }, async () => {
  serve();
  const job = jobOf({ action: 'analysis.start' });
  api.answer(jobContracts.list, {
    items: [{ ...job, state: 'running', finishedAt: null }],
    nextCursor: null,
  });
  api.answer(jobContracts.get, job);
  open(`?report=${NEW}&since=${HALF}`);
  await rowWith('Title of shop.cart');
  await waitFor(() => expect(api.asked(jobContracts.get)).not.toEqual([]));
  // The list is refetched because it ended.
  await waitFor(() => expect(api.asked(analysisContracts.list).length).toBeGreaterThan(1));
  expect(window.location.search).toBe(`?report=${NEW}&since=${HALF}`);
});

it('says how an analysis ended that did not complete', { tags: ['long'] }, async () => {
  serve();
  api.answer(
    jobContracts.get,
    jobOf({ action: 'analysis.start', state: 'cancelled', done: 400, total: 1000 }),
  );
  open(`?job=${JOB_ID}`);
  await screen.findByText('Analysis cancelled');
});

it('says why a report is partial, and resumes it', { tags: ['long'] }, async () => {
  const stopped = { complete: false, share: 0.4, resumable: true, reason: 'The server restarted.' };
  serve(report({ id: HALF, ...stopped }));
  api.answer(analysisContracts.start, { jobId: JOB_ID, auditId: 'audit-1' });
  api.answer(jobContracts.get, jobOf({ state: 'queued', finishedAt: null }));
  const { user } = open(`?report=${HALF}`);
  const banner = await screen.findByText(/^Partial report: 40.0% of the keyspace/);
  expect(textOf(banner.closest('[role=group]'))).toContain('The server restarted.');
  // A partial report is compared with nothing unless asked.
  expect(api.asked(analysisContracts.get)).toEqual([{ id: HALF }]);
  await user.click(screen.getByRole('button', { name: 'Resume analysis' }));
  await waitFor(() => expect(api.asked(analysisContracts.start)).toEqual([{ resume: HALF }]));
  await screen.findByText('Analysis in progress');
});

it('schedules analyses and says when the next one is', { tags: ['long'] }, async () => {
  serve();
  api.answer(analysisContracts.scheduleSet, {
    every: 'weekly',
    at: '04:30',
    nextAt: ago(-90),
    auditId: 'a',
    undoUntil: null,
  });
  const { user, fill } = open();
  await user.click(await screen.findByRole('button', { name: 'Schedule' }));
  const dialog = await screen.findByRole('dialog', { name: 'Schedule analyses' });
  await waitFor(() => expect(textOf(dialog)).toMatch(/Next analysis in/));
  await user.click(within(dialog).getByRole('combobox', { name: 'How often' }));
  await user.click(await screen.findByRole('option', { name: 'Every week' }));
  await fill(within(dialog).getByLabelText('Time (UTC)'), '04:30');
  await user.click(within(dialog).getByRole('button', { name: 'Save schedule' }));
  await waitFor(() =>
    expect(api.asked(analysisContracts.scheduleSet)).toEqual([{ every: 'weekly', at: '04:30' }]),
  );
});

it('shows one family with its distributions', { tags: ['long'] }, async () => {
  serve();
  const { user } = open('?since=none&family=shop.cart', { role: 'support' });
  const dialog = await screen.findByRole('dialog', { name: 'Title of shop.cart' });
  const text = textOf(dialog).replace(/\u00a0/g, ' ');
  for (const part of ['hash 400, string 100', 'listpack 500', 'p50 4 KiB · p99 8 KiB', '1 min – 2 h'])
    expect(text).toContain(part);
  const key = within(dialog).getByRole('link', { name: /cart:/ });
  expect(key.getAttribute('href')).toBe('/demo/keys/Y2FydDo3');
  // The values of the picture, as a table.
  await user.click(within(dialog).getAllByRole('button', { name: 'Show as table' })[0]!);
  const bin = await rowWith('1 min – 1 h');
  expect(cellOf(bin, 'Keys')).toBe('480');
});

it('links keys only for who may see them, and prefixes to the proposal', { tags: 'long' }, async () => {
  serve();
  const first = open('?tab=biggest&type=list', { role: 'viewer' });
  const row = await rowWith('log:1');
  expect(cellOf(row, 'Family')).toBe('Unclassified');
  expect(within(row).queryByRole('link')).toBeNull();
  expect(rowsOf('Biggest keys of each type')).toHaveLength(1);
  // No changes for a viewer, but the report can be exported.
  expect(screen.queryByRole('button', { name: 'Analyse now' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Schedule' })).toBeNull();
  await first.user.click(screen.getAllByRole('button', { name: 'Export' })[0]!);
  const csv = await screen.findByRole('menuitem', { name: 'CSV' });
  expect(csv.getAttribute('href')).toBe(
    `/api/v1/connections/demo/analysis/${NEW}/export?format=csv&since=${OLD}`,
  );
  first.unmount();
  open('?tab=unclassified&since=none', { role: 'viewer' });
  await rowWith('inv:');
  screen.getByText(/^3 of them are malformed/);
  const link = screen.getByRole('link', { name: 'Propose families for them' });
  expect(link.getAttribute('href')).toBe('/demo/catalog?tab=unclassified');
});

it('shows lengths of strings and collections apart, and TTLs that were not read as unknown', {
  tags: ['long'],
}, async () => {
  const lengthOf = (max: number) => ({
    of: 9,
    p50: 2,
    p99: max,
    max,
    histogram: [{ from: 0, to: 4096, keys: 9 }],
  });
  const { ttlSeconds: _, ...unread } = BIG;
  serve(
    report({
      withoutTtl: null,
      ttl: [],
      biggest: [unread],
      lengths: { bytes: lengthOf(3072), elements: lengthOf(77) },
    }),
  );
  const { unmount } = open('?tab=spread&since=none');
  await screen.findByRole('heading', { name: 'Length of strings' });
  const page = textOf(document.body).replace(/\u00a0/g, ' ');
  for (const text of ['p99 3 KiB · max 3 KiB', 'p99 77 · max 77', 'may not run PTTL'])
    expect(page).toContain(text);
  expect(page).not.toContain('keys without');
  expect(figures()).toContain('Without TTL—');
  unmount();
  open('?tab=biggest&since=none');
  expect(cellOf(await rowWith('cart:'), 'TTL')).toBe('—');
});

it('explains the page before the first analysis', { tags: ['long'] }, async () => {
  serve(report(), []);
  open('', { role: 'viewer' });
  await screen.findByText('Not analysed yet');
  screen.getByText(/Product members and admins can start one/);
  expect(api.asked(analysisContracts.get)).toEqual([]);
});

it('counts keys where memory cannot be measured, and says so', { tags: ['long'] }, async () => {
  const reason = 'MEMORY USAGE is not permitted.';
  serve(
    report({
      memoryBytes: null,
      reason,
      biggest: [],
      families: [
        family('shop.cart', { memoryBytes: null, size: null }),
        family('shop.order', { keys: 600, memoryBytes: null, size: null }),
      ],
    }),
  );
  open('?since=none');
  await screen.findByText('Not everything could be measured');
  const rows = rowsOf('Families by memory');
  expect(rows.map((row) => cellOf(row, 'Share'))).toEqual(['60.0%', '50.0%']);
  screen.getByRole('heading', { name: 'Keys by family' });
  expect(figures()).toContain('Memory—');
});
