import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Sessions from '@/app/(console)/[connection]/sessions/page';
import type { Result } from '@/lib/contract';
import { jobContracts } from '@/lib/jobs/schema';
import { repairContracts } from '@/lib/sessions/repair/schema';
import { revocationContracts, type StillValid } from '@/lib/sessions/revocation/schema';
import { type Session, sessionContracts } from '@/lib/sessions/schema';
import { sessionUserContracts } from '@/lib/sessions/user/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { JOB_ID, jobOf } from '@/scripts/testing/job';
import { renderAt, textOf } from '@/scripts/testing/render';
import { rowsOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();
const USER = '91000001';
const DAY = 86_400;
const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
const handleOf = (name: string): string => `${USER}.${name.padEnd(22, '-')}`;

const session = (name: string, change: Partial<Session> = {}): Session => ({
  handle: handleOf(name),
  userId: USER,
  username: 'e2e-user',
  createdAt: hoursAgo(100),
  lastActivity: hoursAgo(1),
  expiresAt: hoursAgo(-24 * 29),
  ttlSeconds: 29 * DAY,
  device: { label: `${name} phone`, userAgent: null, address: '192.0.2.44' },
  fingerprint: name,
  indexed: true,
  states: ['live'],
  jwt: null,
  ...change,
});

type User = Result<typeof sessionUserContracts.user>;
const userResult = (change: Partial<User> = {}): User => ({
  userId: USER,
  username: 'e2e-user',
  sessions: [session('Alpha')],
  cut: false,
  nextCursor: null,
  indexEntries: 1,
  oauth: [],
  verifications: [],
  legacy: [],
  staleIndex: 0,
  unindexed: 0,
  scanned: true,
  complete: true,
  audit: [],
  related: [],
  ...change,
});

const counted = (count: number, stillValid: StillValid[] = []) => ({
  matched: count,
  revoked: 0,
  alreadyGone: 0,
  remaining: count,
  users: 1,
  alsoRevoked: { oauth: 0, verification: 0 },
  stillValid,
  stillValidCut: false,
  unverified: 0,
  unread: 0,
  stillValidComplete: true,
  exact: true,
  dryRun: true,
  auditId: null,
});
const proof = (count: number) => ({
  ...counted(count),
  revoked: count,
  remaining: 0,
  dryRun: false,
  auditId: 'audit-1',
});

const serve = (sessions: Session[] = [session('Alpha')]): void => {
  api.answer(sessionContracts.stats, {
    sessions: sessions.length,
    users: 1,
    byState: null,
    oauth: [],
    verifications: [],
    oauthStates: 0,
    countedAt: hoursAgo(0),
    counting: false,
  });
  api.answer(sessionContracts.list, {
    items: sessions,
    nextCursor: null,
    examined: sessions.length,
    keys: 100,
  });
};

/** The events of a search: matches, progress and end. */
const serveSearch = (matches: Session[]): void =>
  api.tell(sessionContracts.search, [
    ...matches.map((data) => ({ event: 'match', data })),
    {
      event: 'progress',
      data: { examined: 100, keys: 100, sessions: 10, matches: matches.length, ratePerSecond: 1000 },
    },
    { event: 'end', data: { reason: 'complete' as const } },
  ]);

const open = (search = '', options: Parameters<typeof renderAt>[2] = { role: 'support' }) =>
  renderAt(`/demo/sessions${search}`, <Sessions />, options);

it('searches by name, filters and sorts the matches, and keeps both in the address', {
  tags: 'long',
}, async () => {
  serve();
  const all = [
    session('Beta', { lastActivity: hoursAgo(30) }),
    session('Alpha'),
    session('Gamma', { lastActivity: hoursAgo(50) }),
  ];
  serveSearch(all);
  const { user, fill } = open('?name=e2e-filters');
  const devices = () =>
    rowsOf('Matching sessions').map((row) => /(Alpha|Beta|Gamma) phone/.exec(textOf(row))?.[1]);
  await waitFor(() => expect(devices()).toEqual(['Alpha', 'Beta', 'Gamma']));
  expect(textOf(screen.getByTestId('search-state'))).toContain('3 matches: complete');
  await user.click(screen.getByRole('button', { name: 'Last activity' }));
  expect(window.location.search).toContain('order=asc');
  await waitFor(() => expect(devices()).toEqual(['Gamma', 'Beta', 'Alpha']));
  const heading = screen.getByRole('columnheader', { name: 'Last activity' });
  expect(heading.getAttribute('aria-sort')).toBe('ascending');
  serveSearch([all[0]!]);
  await user.click(screen.getByRole('combobox', { name: 'Idle time' }));
  await user.click(await screen.findByRole('option', { name: /Idle > 1\sd/ }));
  await fill(screen.getByRole('combobox', { name: 'Device' }), 'BETA');
  await fill(screen.getByRole('combobox', { name: 'Address' }), '192.0.2.4');
  await waitFor(() => expect(window.location.search).toContain('address=192.0.2.4'));
  await waitFor(() => expect(devices()).toEqual(['Beta']));
  expect(api.asked(sessionContracts.search).at(-1)).toMatchObject({
    username: 'e2e-filters',
    device: 'BETA',
    address: '192.0.2.4',
    idleLongerThanSeconds: DAY,
  });
  await user.click(screen.getByRole('button', { name: 'Clear filters' }));
  await waitFor(() => expect(window.location.search).toBe('?order=asc'));
});

it('searches by the filter of the address', async () => {
  serve();
  serveSearch([session('Beta')]);
  open('?name=e2e-filters&device=BETA&idle=86400&address=192.0.2.4&order=asc');
  await waitFor(() => expect(rowsOf('Matching sessions')).toHaveLength(1));
  expect(api.asked(sessionContracts.search)[0]).toMatchObject({
    username: 'e2e-filters',
    device: 'BETA',
    address: '192.0.2.4',
    idleLongerThanSeconds: DAY,
  });
  expect(screen.getByRole('searchbox', { name: 'User id or name' })).toHaveProperty('value', 'e2e-filters');
});

it('opens a user whose id is a word, from a row and by typing it after #', { tags: 'long' }, async () => {
  serve();
  const userId = 'svc/health.check';
  const row = session('Probe', { userId, handle: `${userId}.${'A'.repeat(22)}`, username: null });
  serveSearch([{ ...row, states: ['malformed'] }]);
  api.answer(sessionUserContracts.user, userResult({ userId, username: null, sessions: [row] }));
  const { user, fill } = open('?state=malformed');
  const link = await screen.findByRole('link', { name: `#${userId}` });
  const address = `/demo/sessions?user=${encodeURIComponent(`#${userId}`)}`;
  expect(link.getAttribute('href')).toBe(address);
  await fill(screen.getByRole('searchbox', { name: 'User id or name' }), `#${userId}`);
  await waitFor(() => expect(`${window.location.pathname}${window.location.search}`).toBe(address));
  await screen.findByRole('heading', { name: `#${userId}` });
  expect(api.asked(sessionUserContracts.user)[0]).toMatchObject({ userId });
  expect(screen.getByRole('searchbox', { name: 'User id or name' })).toHaveProperty('value', `#${userId}`);
  const tokens = screen.getByRole('link', { name: 'Tokens of this user' });
  expect(tokens.getAttribute('href')).toBe(`/demo/tokens?user=${encodeURIComponent(`#${userId}`)}`);
  await user.click(within(await rowWith('Probe phone')).getByRole('checkbox'));
  expect(screen.getByRole('button', { name: 'Revoke 1 session' })).toHaveProperty('disabled', false);
});

it('opens a user by number, revokes a chosen session, and says what stays valid', {
  tags: 'long',
}, async () => {
  serve();
  api.answer(sessionUserContracts.user, userResult({ sessions: [session('Alpha'), session('Beta')] }));
  const { user, fill } = open();
  await fill(screen.getByRole('searchbox', { name: 'User id or name' }), USER);
  await waitFor(() => expect(window.location.search).toBe(`?user=${USER}`));
  const row = await rowWith('Alpha phone');
  const tokens = screen.getByRole('link', { name: 'Tokens of this user' });
  expect(tokens.getAttribute('href')).toBe(`/demo/tokens?user=${USER}`);
  await user.click(within(row).getByRole('checkbox'));
  const valid: StillValid[] = [
    { kind: 'session', userId: USER, count: 1, ttlSeconds: 29 * DAY + 60 },
    { kind: 'oauthRefresh', userId: USER, provider: 'google', count: 1, ttlSeconds: 17 * DAY + 60 },
  ];
  api.answer(revocationContracts.revoke, ({ dryRun }) => (dryRun ? counted(1, valid) : proof(1)));
  await user.click(screen.getByRole('button', { name: 'Revoke 1 session' }));
  const dialog = await screen.findByRole('dialog', { name: 'Revoke 1 session of e2e-user' });
  await waitFor(() => expect(textOf(dialog)).toContain('another session of e2e-user (29 d'));
  expect(textOf(dialog)).toContain('This cannot be undone');
  expect(textOf(dialog)).toContain('e2e-user’s Google refresh token (17 d');
  await fill(within(dialog).getByLabelText('Reason'), 'Ticket 4411: lost phone');
  await user.click(within(dialog).getByRole('button', { name: 'Revoke 1 session' }));
  await screen.findByText('1 session revoked, none remains');
  expect(api.asked(revocationContracts.revoke).at(-1)).toEqual({
    handles: [handleOf('Alpha')],
    dryRun: false,
    reason: 'Ticket 4411: lost phone',
  });
});

it('revokes all sessions of a user, and their OAuth tokens if chosen', { tags: ['long'] }, async () => {
  serve();
  api.answer(sessionUserContracts.user, userResult());
  const valid: StillValid[] = [
    { kind: 'oauthAccess', userId: USER, provider: 'github', count: 1, ttlSeconds: 3000 },
  ];
  api.answer(revocationContracts.revoke, ({ dryRun, also }) =>
    dryRun ? counted(3, also?.includes('oauth') ? [] : valid) : proof(3),
  );
  const { user } = open(`?user=${USER}&complete=true`);
  await screen.findByText('Complete: from the index and a scan of the complete keyspace.');
  await user.click(screen.getByRole('button', { name: 'Revoke all sessions of this user' }));
  const dialog = await screen.findByRole('dialog');
  await waitFor(() => expect(textOf(dialog)).toContain('e2e-user’s GitHub access token'));
  await user.click(within(dialog).getByLabelText('Also revoke OAuth tokens of this user'));
  await waitFor(() => expect(textOf(dialog)).not.toContain('GitHub access token'));
  const verb = within(dialog).getByRole('button', { name: 'Revoke 3 sessions' });
  await waitFor(() => expect(verb).toHaveProperty('disabled', false));
  await user.click(verb);
  await screen.findByText('3 sessions revoked, none remains');
  expect(api.asked(revocationContracts.revoke).at(-1)).toEqual({
    userId: USER,
    also: ['oauth'],
    dryRun: false,
  });
});

it.each([
  [[], true, '1 session revoked, none remains'],
  [[], false, '1 session revoked'],
  [[['session', USER, 5]], true, '1 session revoked; e2e-user has 5 left'],
  [
    [
      ['session', USER, 2],
      ['legacySession', '77', 1],
    ],
    true,
    '1 session revoked; e2e-user and 1 more user have 3 left',
  ],
  [[['oauthRefresh', USER, 1]], true, '1 session revoked, none remains'],
] as const)(
  'sums up a revocation of which %j stay valid',
  { tags: ['long'] },
  async (left, stillValidComplete, title) => {
    serve();
    api.answer(sessionUserContracts.user, userResult());
    const stillValid = left.map(
      ([kind, userId, count]) => ({ kind, userId, count, ttlSeconds: DAY }) as StillValid,
    );
    api.answer(revocationContracts.revoke, ({ dryRun }) =>
      dryRun ? counted(1) : { ...proof(1), stillValid, stillValidComplete },
    );
    const { user } = open(`?user=${USER}`);
    await user.click(within(await rowWith('Alpha phone')).getByRole('checkbox'));
    await user.click(screen.getByRole('button', { name: 'Revoke 1 session' }));
    const verb = within(await screen.findByRole('dialog')).getByRole('button', { name: 'Revoke 1 session' });
    await waitFor(() => expect(verb).toHaveProperty('disabled', false));
    await user.click(verb);
    const shown = (await screen.findByText(title)).closest('[role="status"]');
    expect(textOf(shown as HTMLElement)).not.toMatch(
      /Already gone|Remaining|OAuth tokens revoked|Verifications revoked/,
    );
  },
);

it('keeps the name of a user whose sessions are all revoked', { tags: ['long'] }, async () => {
  serve();
  let isRevoked = false;
  api.answer(sessionUserContracts.user, () =>
    userResult(isRevoked ? { username: null, sessions: [], indexEntries: 0 } : {}),
  );
  api.answer(revocationContracts.revoke, ({ dryRun }) => {
    isRevoked = dryRun === false;
    return dryRun ? counted(1) : proof(1);
  });
  const { user } = open(`?user=${USER}`);
  await screen.findByRole('heading', { name: `e2e-user #${USER}` });
  await user.click(screen.getByRole('button', { name: 'Revoke all sessions of this user' }));
  const verb = within(await screen.findByRole('dialog')).getByRole('button', { name: 'Revoke 1 session' });
  await waitFor(() => expect(verb).toHaveProperty('disabled', false));
  await user.click(verb);
  await screen.findByText('1 session revoked, none remains');
  await waitFor(() => expect(screen.queryByText('Alpha phone')).toBeNull());
  screen.getByRole('heading', { name: `e2e-user #${USER}` });
});

it('shows exact matches first and apart, and revokes those of several users only once they are named', {
  tags: 'long',
}, async () => {
  serve();
  const other = { userId: '208', username: 'ilya208' };
  serveSearch([session('Beta', other), session('Alpha', { userId: '20', username: 'ilya20' })]);
  api.answer(revocationContracts.revoke, ({ dryRun, filter }) =>
    dryRun ? { ...counted(2), users: filter ? 2 : 1 } : proof(2),
  );
  const { user } = open('?name=ILYA20');
  const exact = within(await screen.findByRole('region', { name: 'Sessions of ilya20' }));
  exact.getByRole('row', { name: /Alpha phone/ });
  expect(exact.queryByRole('row', { name: /Beta phone/ })).toBeNull();
  await rowWith('Beta phone');

  await user.click(screen.getByRole('button', { name: 'Revoke all matches…' }));
  const dialog = within(await screen.findByRole('dialog'));
  const verb = dialog.getByRole('button', { name: 'Revoke 2 sessions' });
  await user.click(await dialog.findByLabelText('I mean all 2 users: ilya208, ilya20'));
  await waitFor(() => expect(verb).toHaveProperty('disabled', false));
  await user.click(dialog.getByLabelText('I mean all 2 users: ilya208, ilya20'));
  expect(verb).toHaveProperty('disabled', true);
  await user.keyboard('{Escape}');

  await user.click(screen.getByRole('button', { name: 'Revoke all sessions of ilya20…' }));
  await screen.findByRole('dialog', { name: 'Revoke all sessions of ilya20 #20' });
  await waitFor(() =>
    expect(api.asked(revocationContracts.revoke).at(-1)).toMatchObject({ userId: '20', dryRun: true }),
  );
});

it('leads an admin to all that was done to a user', async () => {
  serve();
  api.answer(sessionUserContracts.user, userResult());
  open(`?user=${USER}`, { role: 'admin' });
  const link = await screen.findByRole('link', { name: 'All changes' });
  expect(link.getAttribute('href')).toBe(`/audit?connection=demo&subject=user%3A${USER}`);
});

it('says whether a user’s sessions are complete, and scans the complete keyspace on request', {
  tags: ['long'],
}, async () => {
  serve();
  api.answer(sessionUserContracts.user, ({ complete }) =>
    userResult(complete ? {} : { scanned: false, complete: false }),
  );
  const { user } = open(`?user=${USER}`);
  await screen.findByText('This may be incomplete');
  screen.getByText(/only a scan of the complete keyspace finds them/);
  await user.click(screen.getByRole('button', { name: 'Scan the complete keyspace' }));
  expect(window.location.search).toContain('complete=true');
  await screen.findByText('Complete: from the index and a scan of the complete keyspace.');
});

it('shows index errors of a user, legacy keys, cache entries, and that the list is cut', {
  tags: ['long'],
}, async () => {
  serve();
  const cut = { cut: true, nextCursor: 'next', complete: false, indexEntries: 1100, staleIndex: 1000 };
  api.answer(sessionUserContracts.user, ({ cursor }) =>
    cursor
      ? userResult({ staleIndex: 100 })
      : userResult({
          ...cut,
          legacy: [{ handle: handleOf('legacy'), fingerprint: 'f1', username: 'e2euser', ttlSeconds: null }],
          related: [
            {
              family: 'discours.author-id',
              title: 'Authors',
              key: `author:id:${USER}`,
              keyId: 'x',
              exists: true,
            },
          ],
        }),
  );
  const { user } = open(`?user=${USER}`);
  await screen.findByText('Not all sessions are listed');
  screen.getByText(/the index has 1,100 entries/);
  await user.click(screen.getByRole('button', { name: 'Load more' }));
  await waitFor(() => expect(screen.queryByText('Not all sessions are listed')).toBeNull());
  screen.getByRole('heading', { name: 'Index errors' });
  expect(textOf(await rowWith('e2euser'))).toMatch(/does not expire|never/);
  screen.getByText(`author:id:${USER}`);
  const families = screen.getAllByRole('link', { name: 'Cache family: Authors' });
  expect(families[0]?.getAttribute('href')).toBe('/demo/families?family=discours.author-id');
  api.answer(revocationContracts.revoke, ({ dryRun }) => (dryRun ? counted(1) : proof(1)));
  await user.click(screen.getByRole('button', { name: /^Revoke legacy session/ }));
  const drawer = within(await screen.findByRole('dialog', { name: /^Revoke 1 session/ }));
  await waitFor(() => expect(textOf(drawer.getByTestId('revoke-count'))).toContain('1 session found'));
  await user.click(drawer.getByRole('button', { name: 'Revoke 1 session' }));
  await screen.findByText('1 session revoked, none remains');
  expect(api.asked(revocationContracts.revoke).at(-1)).toMatchObject({ handles: [handleOf('legacy')] });
});

it('asks for the id of a production connection', { tags: ['long'] }, async () => {
  serve();
  api.answer(sessionUserContracts.user, userResult());
  api.answer(revocationContracts.revoke, ({ dryRun }) => (dryRun ? counted(1) : proof(1)));
  const { user, fill } = open(`?user=${USER}`, {
    role: 'support',
    connection: { id: 'live', environment: 'production' },
  });
  await user.click(within(await rowWith('Alpha phone')).getByRole('checkbox'));
  await user.click(screen.getByRole('button', { name: 'Revoke 1 session' }));
  const dialog = await screen.findByRole('dialog');
  const revoke = within(dialog).getByRole('button', { name: 'Revoke 1 session' });
  await waitFor(() => expect(textOf(dialog)).toContain('1 session found.'));
  expect(revoke).toHaveProperty('disabled', true);
  await fill(within(dialog).getByLabelText(/Production: type live/), 'live');
  await user.click(revoke);
  await screen.findByText('1 session revoked, none remains');
  expect(api.asked(revocationContracts.revoke).at(-1)).toMatchObject({ confirm: 'live' });
});

it('shows hostile names and devices as text', { tags: ['long'] }, async () => {
  serve();
  const name = '<img src=x onerror=alert(1)>e2e';
  const device = { label: '<b>Bold</b>\u202egnp', userAgent: null, address: '192.0.2.44' };
  serveSearch([session('hostile', { username: name, device })]);
  const { user } = open(`?name=${encodeURIComponent('ONERROR=alert(1)>E2E')}`);
  const row = await rowWith(name);
  expect(textOf(row)).toContain('<b>Bold</b>');
  await user.click(within(row).getByRole('button', { name: /^Details of/ }));
  expect(textOf(await screen.findByRole('dialog'))).toContain('192.0.2.44');
  expect(document.querySelectorAll('img, td b')).toHaveLength(0);
});

it('works without a mouse', async () => {
  serve();
  api.answer(sessionUserContracts.user, userResult());
  const { user } = open(`?user=${USER}`);
  const row = await rowWith('Alpha phone');
  await user.keyboard('j');
  expect(document.activeElement).toBe(row);
  await user.keyboard('x');
  await screen.findByText('1 selected');
  await user.keyboard('{Enter}');
  await screen.findByRole('dialog', { name: /Session of e2e-user/ });
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await user.keyboard('/');
  expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'User id or name' }));
});

it('shows no sessions to viewers and product, and requests none', () => {
  for (const role of ['viewer', 'product'] as const) {
    const { unmount } = open(`?user=${USER}`, { role });
    screen.getByText('You don’t have access to this page');
    expect(textOf(document.body)).not.toContain(USER);
    unmount();
  }
});

it('reports an unreachable Redis, and what to do', { tags: 'long' }, async () => {
  serve();
  api.refuse(sessionContracts.list, 'unreachable', 'Redis of connection demo does not answer.');
  open();
  const alerts = await screen.findAllByRole('alert');
  expect(alerts.map(textOf).join()).toContain('Redis is unreachable');
});

it('neither searches for a pasted token nor writes it into the address', { tags: ['long'] }, async () => {
  serve();
  serveSearch([]);
  const { user, fill } = open();
  const search = screen.getByRole('searchbox', { name: 'User id or name' });
  await fill(search, 'eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjoxfQ.c2lnbmF0dXJl');
  await screen.findByText(/This looks like a token/);
  await user.type(search, '{Enter}');
  expect(window.location.search).toBe('');
  await fill(search, 'nobody-of-that-name');
  await waitFor(() => expect(window.location.search).toBe('?name=nobody-of-that-name'));
  expect(screen.queryByText(/This looks like a token/)).toBeNull();
  expect(JSON.stringify(api.asked(sessionContracts.search))).not.toContain('eyJ');
});

it('repairs what a count of exactly these kinds found', { tags: ['long'] }, async () => {
  serve();
  const before = { staleIndex: 4 };
  const counted = { dryRun: true, before, repaired: {}, after: before, ended: 0, left: 1 };
  api.answer(repairContracts.repair, { jobId: JOB_ID, auditId: 'audit-1' });
  api.answer(jobContracts.get, jobOf({ action: 'sessions.repair', result: counted }));
  const { user } = open('?repair=staleIndex', { role: 'admin' });
  const form = within(await screen.findByRole('dialog', { name: 'Repair sessions and indexes' }));
  await user.click(await form.findByRole('button', { name: 'Count repairs' }));
  await form.findByText('3 to repair. Nothing has changed yet.');
  form.getByText('4 entries will be removed.');
  const ghosts = form.getByRole('checkbox', { name: 'Ghosts' });
  await user.click(ghosts);
  expect(form.queryByRole('button', { name: 'Repair 3' })).toBeNull();
  await user.click(ghosts);
  await user.click(form.getByRole('button', { name: 'Repair 3' }));
  await waitFor(() => expect(window.location.search).toBe(`?repair=${JOB_ID}`));
  expect(api.asked(repairContracts.repair)).toEqual([
    { kinds: ['staleIndex'], dryRun: true },
    { kinds: ['staleIndex'], dryRun: false },
  ]);
});
