import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Guard from '@/app/(console)/[connection]/guard/page';
import { undoContract } from '@/lib/audit/schema';
import type { Result } from '@/lib/contract';
import {
  type LimitSource,
  type LimitsState,
  type RateWindow,
  rateLimitContracts,
  WINDOW_STATES,
} from '@/lib/rate-limits/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { cellOf, rowsOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();
const AUDIT_ID = '11111111-2222-4333-8444-555555555555';
const LABEL = 'Rate limit windows';
const id = (n: number): string => n.toString(16).padStart(24, '0');
const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();

const rateWindow = (n: number, change: Partial<RateWindow> = {}): RateWindow => ({
  fieldId: `field-${n}`,
  field: id(n),
  projectId: id(n),
  windowStart: inMinutes(-1),
  count: 10,
  limit: 100,
  periodSeconds: 3600,
  remaining: 90,
  resetsAt: inMinutes(59),
  use: 0.1,
  state: 'ok',
  limitSource: 'default',
  periodSource: 'default',
  project: 'known',
  names: { project: null, workspace: null, plan: null },
  blocked: false,
  raw: `1700000000:${n}`,
  etag: `etag-${n}`,
  ...change,
});

const LIMITS: LimitsState = {
  source: 'folder',
  status: 'ok',
  at: inMinutes(0),
  ageSeconds: 0,
  stale: false,
  problems: [],
  projects: 5,
  workspaces: 3,
  plans: 2,
};

const NEAR = rateWindow(1, { count: 950, limit: 1000, remaining: 50, use: 0.95, state: 'near' });
const LIMITED = rateWindow(2, { count: 500, limit: 500, remaining: 0, use: 1, state: 'limited' });
const HOSTILE = rateWindow(8, { state: 'unreadable', count: null, raw: '<img src=x onerror=alert(1)>' });
const WINDOWS = [
  HOSTILE,
  rateWindow(9, { state: 'unreadable', field: 'no project at all', projectId: null, raw: 'rubbish' }),
  LIMITED,
  NEAR,
  rateWindow(7, { blocked: true }),
];

type List = Result<typeof rateLimitContracts.list>;

const pageOf = (items: RateWindow[], change: Partial<List> = {}): List => ({
  items,
  nextCursor: null,
  counts: Object.fromEntries(
    WINDOW_STATES.map((state) => [state, WINDOWS.filter((row) => row.state === state).length]),
  ) as List['counts'],
  total: WINDOWS.length,
  sampledAt: inMinutes(0),
  complete: true,
  progress: 1,
  limits: LIMITS,
  ...change,
});

/** Filters like the server. */
const serve = (windows: RateWindow[] = WINDOWS): void =>
  api.answer(rateLimitContracts.list, ({ state, project, q }) =>
    pageOf(
      windows.filter(
        (row) =>
          (!state || row.state === state) &&
          (!project || row.project === project) &&
          (!q || row.field.includes(q)),
      ),
    ),
  );

const open = (search = '', options: Parameters<typeof renderAt>[2] = {}) =>
  renderAt(`/main/guard?tab=limits${search}`, <Guard />, options);

const tile = (name: string) =>
  within(screen.getByRole('region', { name: 'Windows by state' })).getByRole('button', {
    name: new RegExp(`^${name}`),
  });
const details = async (view: ReturnType<typeof renderAt>, window: RateWindow) => {
  await view.user.click(await screen.findByRole('button', { name: `Details of ${window.field}` }));
  return screen.findByRole('dialog', { name: `Window of ${window.field}` });
};

it('counts windows by state, and keeps the filter in the URL', { tags: 'long' }, async () => {
  serve();
  const { user } = open();
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(5));
  const counts = { unreadable: 2, limited: 1, 'near limit': 1, 'within limit': 1, expired: 0 };
  for (const [state, count] of Object.entries(counts)) expect(textOf(tile(state))).toBe(`${state}${count}`);
  expect(textOf(screen.getByRole('region', { name: 'Windows by state' }))).toContain('All5');
  await user.click(tile('near limit'));
  expect(window.location.search).toContain('state=near');
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(1));
  const row = await rowWith(NEAR.field);
  expect(textOf(row)).toContain('95.0%');
  expect(cellOf(row, 'Remaining')).toBe('50');
  await user.click(tile('near limit'));
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(5));
  await user.click(screen.getByRole('button', { name: 'Events' }));
  expect(window.location.search).toContain('sort=count');
  await waitFor(() => expect(api.asked(rateLimitContracts.list).at(-1)).toMatchObject({ sort: 'count' }));
});

it('names project, workspace and plan, and says where the limit is raised', async () => {
  serve([
    rateWindow(1, {
      // Nothing more is requested for an invalid project id.
      projectId: null,
      limitSource: 'plan',
      names: {
        project: 'Shop <b>',
        workspace: { id: id(800), name: null },
        plan: { id: id(900), name: 'Startup' },
      },
    }),
  ]);
  const { user } = open();
  expect(textOf(await rowWith(id(1)))).toContain('Shop <b>');
  await user.click(await screen.findByRole('button', { name: `Details of ${id(1)}` }));
  const drawer = await screen.findByRole('dialog');
  for (const text of ['Shop <b>', id(800), `Startup (${id(900)})`, 'change rateLimitSettings of the plan'])
    expect(textOf(drawer)).toContain(text);
});

it('requests what the URL says', async () => {
  serve();
  open(`&state=unreadable&known=unknown&sort=count`);
  await waitFor(() => expect(api.asked(rateLimitContracts.list)).not.toEqual([]));
  expect(api.asked(rateLimitContracts.list)[0]).toEqual({
    state: 'unreadable',
    project: 'unknown',
    sort: 'count',
    limit: 100,
  });
  expect(tile('unreadable').getAttribute('aria-pressed')).toBe('true');
});

it('ignores what the URL cannot ask for', async () => {
  serve();
  open(`&state=toString&known=perhaps&sort=name`);
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(5));
  expect(api.asked(rateLimitContracts.list)[0]).toEqual({ sort: 'use', limit: 100 });
});

it('shows which level sets the limit and the period', async () => {
  const levels: [number, LimitSource, LimitSource, RegExp, RegExp][] = [
    [1, 'plan', 'plan', /^1,000 ?by plan$/, /^1 hr? ?by plan$/],
    [500, 'workspace', 'plan', /^500 ?by workspace$/, /^1 hr? ?by plan$/],
    [20, 'project', 'project', /^20 ?by project$/, /^1 d(ay)? ?by project$/],
    [100, 'default', 'default', /^100 ?by default$/, /^1 hr? ?by default$/],
    [0, 'none', 'none', /^unlimited ?no level$/, /no level$/],
  ];
  serve(
    levels.map(([limit, limitSource, periodSource], n) =>
      rateWindow(n, {
        limit: limit === 1 ? 1000 : limit,
        limitSource,
        periodSource,
        periodSeconds: limit === 20 ? 86_400 : 3600,
        state: limit === 0 ? 'unlimited' : 'ok',
      }),
    ),
  );
  open();
  for (const [n, [, , , limit, period]] of levels.entries()) {
    const row = await rowWith(id(n));
    expect(cellOf(row, 'Limit')).toMatch(limit);
    expect(cellOf(row, 'Period')).toMatch(period);
  }
  expect(textOf(screen.getByText(/Limits come from exported files\./))).toContain(
    '5 projects, 3 workspaces and 2 plans loaded.',
  );
});

it('marks blocked, unreadable and non-project fields', async () => {
  serve();
  open();
  within(await rowWith(id(7))).getByText('blocked');
  expect(textOf(await rowWith('no project at all'))).toContain('not a project id');
  expect(textOf(await rowWith(HOSTILE.field))).toContain('<img src=x onerror=alert(1)>');
});

it('distinguishes a deleted project from one without a limit, and filters by it', {
  tags: ['long'],
}, async () => {
  const none = { limit: 0, limitSource: 'none', state: 'unlimited' } as const;
  serve([rateWindow(1, none), rateWindow(2, { ...none, project: 'unknown' })]);
  const { user } = open();
  expect(textOf(await rowWith(id(2)))).toContain('unknown project: not in the source of limits');
  expect(textOf(await rowWith(id(1)))).not.toContain('unknown project');
  await user.click(screen.getByRole('combobox', { name: 'Projects' }));
  await user.click(await screen.findByRole('option', { name: 'Unknown projects' }));
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(1));
  expect(window.location.search).toContain('known=unknown');
});

it('finds a project by its id, and says when none matches', { tags: 'long' }, async () => {
  serve();
  const { fill } = open();
  const search = await screen.findByRole('searchbox', { name: 'Project id' });
  await fill(search, LIMITED.field);
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(1));
  expect(window.location.search).toContain(`q=${LIMITED.field}`);
  await fill(search, 'nowhere');
  await screen.findByText('Nothing matches these filters.');
});

const whatIf = (change: Partial<Result<typeof rateLimitContracts.whatIf>>) => ({
  limit: null,
  periodSeconds: null,
  all: null,
  project: null,
  limits: LIMITS,
  ...change,
});
const accepted = {
  accepted: true,
  status: 200 as const,
  message: null,
  acceptedAt: null,
  state: 'ok' as const,
};
const refused = (message: string, acceptedAt: string | null, state: RateWindow['state'] = 'limited') => ({
  accepted: false,
  status: 402 as const,
  message,
  acceptedAt,
  state,
});
const project = {
  projectId: LIMITED.field,
  blocked: false as boolean | null,
  present: refused('Rate limit exceeded', inMinutes(55)),
  chosen: null as typeof accepted | null,
  limit: 500,
  periodSeconds: 3600,
  limitSource: 'workspace' as const,
  periodSource: 'plan' as const,
  project: 'known' as RateWindow['project'],
  count: 500,
  windowStart: inMinutes(-5),
  raw: LIMITED.raw,
  releases: 'accepted' as 'accepted' | 'refused',
};

it('shows how many projects another limit would refuse, and keeps it in the URL', {
  tags: 'long',
}, async () => {
  serve();
  api.answer(rateLimitContracts.whatIf, ({ limit = null, periodSeconds = null }) => {
    const none = limit === 0;
    const totals = { projects: 9, refusedAtPresent: 4, sampledAt: inMinutes(0), complete: true };
    const counts = none
      ? { refused: 0, more: -4, newlyRefused: 0, newlyAccepted: 4 }
      : { refused: 6, more: 2, newlyRefused: 2, newlyAccepted: 0 };
    return whatIf({ limit, periodSeconds, all: { ...totals, ...counts } });
  });
  const { user, fill } = open();
  await user.click(await screen.findByRole('button', { name: 'Test a limit' }));
  const region = await screen.findByRole('region', { name: 'Test a different limit' });
  const panel = within(region);
  expect(textOf(region)).toContain('Releases aren’t counted or limited');
  await fill(panel.getByLabelText('Limit'), '10');
  await fill(panel.getByLabelText('Period'), '3600');
  const totals = await panel.findByTestId('what-if-all');
  expect(textOf(totals)).toMatch(
    /With 10 events per 1 h\w*, 6 projects would be refused now\. The current limits refuse 4: 2 more\./,
  );
  const figure = (name: string) =>
    textOf([...region.querySelectorAll('dl > div')].find((figure) => textOf(figure).includes(name)));
  expect(figure('Windows compared')).toContain('9');
  expect(figure('Newly refused')).toContain('2');
  expect(figure('Newly accepted')).toContain('0');
  await fill(panel.getByLabelText('Limit'), '0');
  await waitFor(() =>
    expect(textOf(panel.getByTestId('what-if-all'))).toMatch(
      /Without a limit, no project would be refused now\. The current limits refuse 4: 4 fewer\./,
    ),
  );
  expect(window.location.search).toContain('limit=0&period=3600');
  await fill(panel.getByLabelText('Limit'), 'ten');
  await panel.findByText('A whole number, 0 or more');
});

it('shows the answer to the next event of a project, and why', { tags: 'long' }, async () => {
  serve();
  const ask = async (change: Partial<typeof project>) => {
    api.answer(
      rateLimitContracts.whatIf,
      whatIf({ limit: 0, periodSeconds: 3600, project: { ...project, ...change } }),
    );
    const { unmount } = open(`&limit=0&period=3600&project=${LIMITED.field}`);
    const present = await screen.findByRole('region', { name: 'Current limit' });
    const texts = {
      present: textOf(present),
      panel: textOf(screen.getByRole('region', { name: 'Test a different limit' })),
      chosen: textOf(screen.queryByRole('region', { name: 'Tested limit' })),
    };
    unmount();
    return texts;
  };
  const limited = await ask({ chosen: accepted });
  expect(limited.present).toContain('refused, 402');
  expect(limited.present).toContain('Rate limit exceeded');
  expect(limited.present).toMatch(/Events are accepted again in 5\d min/);
  expect(limited.panel).toContain('A release is accepted: it isn’t counted or limited.');
  expect(limited.chosen).toContain('accepted, 200');
  const broken = await ask({ present: refused('Failed to update rate limit', null, 'unreadable') });
  expect(broken.present).toContain('Failed to update rate limit');
  expect(broken.present).toContain('Refused until the stored value is repaired');
  const blocked = await ask({
    blocked: true,
    releases: 'refused',
    present: refused('Project has exceeded the events limit', null),
  });
  expect(blocked.present).toContain('Project has exceeded the events limit');
  expect(blocked.present).toContain('Refused until the project is unblocked');
  expect(blocked.panel).toContain('A release is refused too: the project is blocked.');
  expect(blocked.panel).not.toContain('does not have this project');
  const gone = await ask({ project: 'unknown' });
  expect(gone.panel).toContain('The source of limits does not have this project');
});

const answerDetails = (): void => {
  api.answer(rateLimitContracts.whatIf, whatIf({ project }));
  api.answer(rateLimitContracts.refused, {
    projectId: LIMITED.field,
    available: false,
    reason: 'RedisTimeSeries is not loaded in this Redis',
    granularity: 'minutely',
    points: [],
  });
};
const answerReset = (): void =>
  api.answer(rateLimitContracts.reset, {
    projectId: LIMITED.field,
    fieldId: LIMITED.fieldId,
    removed: LIMITED.raw!,
    auditId: AUDIT_ID,
    undoUntil: inMinutes(60),
  });

it('shows the stored value, the next event and the refused events in the details', {
  tags: ['long'],
}, async () => {
  serve();
  answerDetails();
  const dialog = await details(open(), LIMITED);
  expect(textOf(dialog)).toContain(LIMITED.raw!);
  await waitFor(() =>
    expect(textOf(within(dialog).getByRole('region', { name: 'The next event' }))).toContain(
      'Rate limit exceeded',
    ),
  );
  await waitFor(() =>
    expect(textOf(within(dialog).getByRole('region', { name: 'Refused events' }))).toContain(
      '— RedisTimeSeries is not loaded in this Redis',
    ),
  );
});

it('explains why a reset is not undone over a newer window', { tags: 'long' }, async () => {
  serve();
  answerDetails();
  answerReset();
  api.answer(undoContract, {
    undone: 0,
    conflicts: [{ what: LIMITED.field, why: 'The collector has opened another window since.' }],
    auditId: AUDIT_ID,
  });
  const view = open();
  const dialog = await details(view, LIMITED);
  await view.user.click(within(dialog).getByRole('button', { name: 'Reset window' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Reset this window' }));
  await view.user.click(drawer.getByRole('button', { name: 'Reset window' }));
  await screen.findByText(`Window of ${LIMITED.field} reset`);
  expect(api.asked(rateLimitContracts.reset)).toEqual([{ fieldId: 'field-2', etag: 'etag-2' }]);
  await view.user.click(screen.getByRole('button', { name: 'Undo' }));
  await screen.findByText(/The collector has opened another window since\./);
});

it('does not reset a window that was opened after the user looked', { tags: 'long' }, async () => {
  serve();
  answerDetails();
  const view = open();
  const dialog = await details(view, LIMITED);
  await view.user.click(within(dialog).getByRole('button', { name: 'Reset window' }));
  const question = await screen.findByRole('dialog', { name: 'Reset this window' });
  const drawer = within(question);
  api.refuse(rateLimitContracts.reset, 'changed', 'The window changed since.');
  serve(
    WINDOWS.map((row) => (row === LIMITED ? { ...LIMITED, raw: '1800000000:1', etag: 'etag-new' } : row)),
  );
  await view.user.click(drawer.getByRole('button', { name: 'Reset window' }));
  await drawer.findByText('The window changed since.');
  await waitFor(() => expect(textOf(question)).toContain('Stored value now: 1800000000:1'));
  answerReset();
  await view.user.click(drawer.getByRole('button', { name: 'Use the current window' }));
  await waitFor(() => expect(textOf(question)).toContain('Stored value: 1800000000:1'));
  await view.user.click(drawer.getByRole('button', { name: 'Reset window' }));
  await screen.findByText(`Window of ${LIMITED.field} reset`);
  expect(api.asked(rateLimitContracts.reset).map(({ etag }) => etag)).toEqual(['etag-2', 'etag-new']);
});

it('needs the typed id of a production connection for a reset', { tags: 'long' }, async () => {
  serve();
  answerDetails();
  answerReset();
  const view = open('', { connection: { id: 'live', environment: 'production' } });
  const dialog = await details(view, LIMITED);
  await view.user.click(within(dialog).getByRole('button', { name: 'Reset window' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Reset this window' }));
  const reset = drawer.getByRole('button', { name: 'Reset window' });
  expect(reset).toHaveProperty('disabled', true);
  await view.fill(drawer.getByRole('textbox', { name: /live/ }), 'live');
  await view.user.click(reset);
  await screen.findByText(`Window of ${LIMITED.field} reset`);
  expect(api.asked(rateLimitContracts.reset)[0]).toMatchObject({ confirm: 'live' });
});

it('repairs an unreadable value either way', { tags: 'long' }, async () => {
  serve();
  api.answer(rateLimitContracts.repair, ({ fieldId, replace }) => ({
    projectId: null,
    fieldId: fieldId!,
    removed: 'x',
    stored: replace ? '0:0' : null,
    auditId: `audit-of-${fieldId}`,
    undoUntil: null,
  }));
  const { user, fill } = open();
  await user.click(within(await rowWith(HOSTILE.field)).getByRole('button', { name: /^Repair/ }));
  const question = await screen.findByRole('dialog', { name: 'Repair this value' });
  const drawer = within(question);
  expect(textOf(question)).toContain('<img src=x onerror=alert(1)>');
  await user.click(drawer.getByRole('radio', { name: 'Replace with an expired window' }));
  await fill(drawer.getByLabelText('Reason'), 'Ticket 52');
  await user.click(drawer.getByRole('button', { name: 'Repair value' }));
  await screen.findByText(`Value of ${HOSTILE.field} repaired`);
  await user.click(within(await rowWith('no project at all')).getByRole('button', { name: /^Repair/ }));
  await user.click(await screen.findByRole('button', { name: 'Repair value' }));
  await screen.findByText('Value of no project at all repaired');
  expect(api.asked(rateLimitContracts.repair)).toMatchObject([
    { fieldId: 'field-8', etag: 'etag-8', replace: true, reason: 'Ticket 52' },
    { fieldId: 'field-9', etag: 'etag-9', replace: false },
  ]);
});

it('shows support everything and offers no change', async () => {
  serve();
  answerDetails();
  const view = open('', { role: 'support' });
  await rowWith(HOSTILE.field);
  expect(screen.queryByRole('button', { name: /^Repair/ })).toBeNull();
  await view.user.click(screen.getByText(LIMITED.field));
  const dialog = within(await screen.findByRole('dialog', { name: `Window of ${LIMITED.field}` }));
  dialog.getByRole('button', { name: 'Test a limit' });
  expect(dialog.queryByRole('button', { name: 'Reset window' })).toBeNull();
});

it('shows a viewer nothing', async () => {
  open('', { role: 'viewer' });
  screen.getByText('You don’t have access to this page');
  expect(screen.queryByRole('table')).toBeNull();
});

it('warns that limits are out of date, and shows the last known ones', async () => {
  const problems = ['plans.json is missing: its last known limits apply.'];
  api.answer(
    rateLimitContracts.list,
    pageOf(WINDOWS, { limits: { ...LIMITS, status: 'partial', stale: true, problems } }),
  );
  open();
  await rowWith(NEAR.field);
  const stale = textOf(
    screen.getAllByRole('status').find((status) => textOf(status).includes('The limits are out of date')),
  );
  expect(stale).toContain(problems[0]);
  expect(textOf(tile('near limit'))).toBe('near limit1');
});

it('shows that windows are being read, and follows until all were', { tags: 'long' }, async () => {
  api.answer(
    rateLimitContracts.list,
    pageOf([NEAR], { complete: false, progress: 0.25, nextCursor: 'more', total: 5 }),
  );
  open();
  await rowWith(NEAR.field);
  expect(screen.getByRole('progressbar', { name: 'Windows read' }).getAttribute('aria-valuenow')).toBe('25');
  serve();
  // Sooner than a complete list would be refetched, and without loading the next page first.
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(5), { timeout: 4000 });
  expect(api.asked(rateLimitContracts.list).map(({ cursor }) => cursor)).not.toContain('more');
  expect(screen.queryByRole('progressbar')).toBeNull();
});

it('explains an empty hash and a key of another type, and recovers by itself', { tags: 'long' }, async () => {
  api.answer(rateLimitContracts.list, pageOf([], { total: 0 }));
  const { unmount } = open();
  await screen.findByText('No windows');
  unmount();
  api.refuse(rateLimitContracts.list, 'conflict', 'The key rate_limits is not a hash.');
  open();
  expect(textOf(await screen.findByRole('alert'))).toContain('rate_limits is not a hash');
  serve();
  await rowWith(LIMITED.field);
});

it('works by keyboard', { tags: ['long'] }, async () => {
  serve();
  answerDetails();
  const { user } = open();
  await waitFor(() => expect(rowsOf(LABEL)).toHaveLength(5));
  await user.keyboard('j');
  expect(document.activeElement).toBe(rowsOf(LABEL)[0]);
  await user.keyboard('j');
  expect(document.activeElement).toBe(rowsOf(LABEL)[1]);
  await user.keyboard('k');
  expect(document.activeElement).toBe(rowsOf(LABEL)[0]);
  await user.keyboard('{Enter}');
  await screen.findByRole('dialog', { name: /^Window of/ });
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await user.keyboard('/');
  expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Project id' }));
});
