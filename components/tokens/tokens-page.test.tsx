import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import Tokens from '@/app/(console)/[connection]/tokens/page';
import type { Result } from '@/lib/contract';
import { jobContracts } from '@/lib/jobs/schema';
import { sessionContracts } from '@/lib/sessions/schema';
import { type OauthToken, tokenContracts, type VerificationToken } from '@/lib/tokens/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { JOB_ID, jobOf } from '@/scripts/testing/job';
import { renderAt, textOf } from '@/scripts/testing/render';
import { rowsOf, rowWith } from '@/scripts/testing/table';

const api = fakeApi();
const USER = '92000001';
const DAY = 86_400;
const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();
const idOf = (name: string): string => `${USER}.${name.padEnd(22, '-')}`;

const oauth = (name: string, change: Partial<OauthToken>): OauthToken => ({
  id: idOf(name),
  userId: USER,
  kind: 'access',
  provider: 'google',
  form: 'json',
  createdAt: ago(3300),
  createdFrom: 'value',
  ttlSeconds: 300,
  ...change,
});
const OAUTH = [
  oauth('access', {}),
  oauth('refresh', { kind: 'refresh', form: 'bare', ttlSeconds: 20 * DAY - 60 }),
  oauth('github', { kind: 'refresh', form: 'bare', provider: 'github', ttlSeconds: null }),
];
const verification = (name: string, change: Partial<VerificationToken>): VerificationToken => ({
  id: idOf(name),
  userId: USER,
  kind: 'verification',
  type: 'password_reset',
  form: 'hash',
  createdAt: ago(60),
  createdFrom: 'value',
  ttlSeconds: 3000,
  ...change,
});

const listed = <T,>(items: T[]) => ({ items, nextCursor: null, examined: items.length, keys: 1000 });

const STATS: Result<typeof sessionContracts.stats> = {
  sessions: 0,
  users: 0,
  byState: null,
  oauth: [
    { provider: 'google', kind: 'access', count: 1 },
    { provider: 'google', kind: 'refresh', count: 1 },
    { provider: 'github', kind: 'refresh', count: 1 },
  ],
  verifications: [{ type: 'password_reset', count: 1 }],
  oauthStates: 1,
  countedAt: ago(1),
  counting: false,
};

const serve = (tokens: OauthToken[] = OAUTH): void => {
  api.answer(sessionContracts.stats, STATS);
  api.answer(tokenContracts.oauthList, ({ provider, kind, expiringWithinSeconds: within }) =>
    listed(
      tokens.filter(
        (token) =>
          (!provider || token.provider === provider) &&
          (!kind || token.kind === kind) &&
          (!within || (token.ttlSeconds !== null && token.ttlSeconds <= within)),
      ),
    ),
  );
};

const proof = (matched: number, change: object = {}) => ({
  matched,
  revoked: matched,
  alreadyGone: 0,
  remaining: 0,
  dryRun: false,
  auditId: 'audit-1',
  ...change,
});
/** The answer of a dry run in which all named tokens exist. */
const counted = (count: number) =>
  proof(count, { revoked: 0, remaining: count, dryRun: true, auditId: null });

const figureOf = (name: string): string =>
  textOf(
    [...screen.getByRole('status').querySelectorAll('dl > div')]
      .find((row) => textOf(row).includes(name))
      ?.querySelector('dd'),
  );

it('filters by provider, kind, time and user, in the address', { tags: ['long'] }, async () => {
  serve();
  const { user } = renderAt(`/demo/tokens?user=${USER}`, <Tokens />);
  await waitFor(() => expect(rowsOf('OAuth')).toHaveLength(3));
  expect(api.asked(tokenContracts.oauthList)[0]).toMatchObject({ userId: USER });
  expect(textOf(screen.getByRole('tab', { name: /^OAuth/ }))).toBe('OAuth3');
  expect(screen.getByRole('tab', { name: /^OAuth/ }).getAttribute('aria-selected')).toBe('true');
  screen.getByRole('row', { name: /Google.*access.*JSON.*min.*soon/ });
  screen.getByRole('row', { name: /Google.*refresh.*bare token.*19\sd/ });
  screen.getByRole('row', { name: /GitHub.*refresh.*no TTL/ });
  await user.click(screen.getByRole('checkbox', { name: /^Google 2/ }));
  await waitFor(() => expect(rowsOf('OAuth')).toHaveLength(2));
  expect(window.location.search).toBe(`?user=${USER}&provider=google`);
  await user.click(screen.getByRole('combobox', { name: 'Expires within' }));
  await user.click(await screen.findByRole('option', { name: /Expires within 15 min/ }));
  await waitFor(() => expect(rowsOf('OAuth')).toHaveLength(1));
  expect(window.location.search).toContain('within=900');
});

it('shows again what the address filters by, with the way to the user', async () => {
  serve();
  renderAt(`/demo/tokens?user=${USER}&provider=google&within=900`, <Tokens />);
  await waitFor(() => expect(rowsOf('OAuth')).toHaveLength(1));
  expect(textOf(rowsOf('OAuth')[0])).toContain('access');
  const link = screen.getByRole('link', { name: 'View this user’s sessions and tokens' });
  expect(link.getAttribute('href')).toBe(`/demo/sessions?user=${USER}`);
});

it('revokes all that match a filter, counted first, and offers it only with a filter', {
  tags: ['long'],
}, async () => {
  serve();
  const first = renderAt('/demo/tokens', <Tokens />);
  const button = await screen.findByRole('button', { name: 'Revoke all matches…' });
  expect(button.getAttribute('aria-disabled')).toBe('true');
  await first.user.click(button);
  expect(screen.queryByRole('dialog')).toBeNull();
  first.unmount();

  api.answer(tokenContracts.oauthRevoke, ({ dryRun }) =>
    dryRun ? counted(2) : proof(1, { alreadyGone: 1 }),
  );
  const { user, fill } = renderAt(`/demo/tokens?user=${USER}&kind=refresh`, <Tokens />);
  await waitFor(() => expect(rowsOf('OAuth')).toHaveLength(2));
  await user.click(screen.getByRole('button', { name: 'Revoke all matches…' }));
  const question = await screen.findByRole('dialog', { name: 'Revoke all matching OAuth tokens' });
  await waitFor(() => expect(textOf(question)).toContain('2 tokens match now.'));
  expect(textOf(question)).toContain(`#${USER}`);
  expect(textOf(question)).toContain('This cannot be undone');
  expect(textOf(question)).toContain('the provider’s own grant');
  await fill(within(question).getByLabelText('Reason'), 'Ticket 513');
  serve([]);
  await user.click(within(question).getByRole('button', { name: 'Revoke 2 OAuth tokens' }));
  await screen.findByText('1 token revoked: it no longer exists');
  expect(['Matched', 'Revoked', 'Already gone', 'Remaining'].map(figureOf)).toEqual(['1', '1', '1', '']);
  await user.click(screen.getByRole('button', { name: 'Copy the result' }));
  expect(await navigator.clipboard.readText()).toMatch(/Revoked: 1\nAlready gone: 1\n.*\nAudit entry: \S+$/);
  await screen.findByText('No OAuth tokens');
  expect(api.asked(tokenContracts.oauthRevoke)).toEqual([
    { filter: { userId: USER, kind: 'refresh' }, dryRun: true },
    { filter: { userId: USER, kind: 'refresh' }, dryRun: false, reason: 'Ticket 513' },
  ]);
});

it('names the chosen token in the question, and takes what is revoked out of the list', {
  tags: ['long'],
}, async () => {
  serve();
  api.answer(tokenContracts.oauthRevoke, ({ dryRun }) => (dryRun ? counted(1) : proof(1)));
  const { user } = renderAt(`/demo/tokens?user=${USER}`, <Tokens />);
  await user.click(
    await screen.findByRole('checkbox', { name: `Select the Google refresh token of #${USER}` }),
  );
  await user.click(screen.getByRole('button', { name: 'Revoke 1 OAuth token' }));
  const question = await screen.findByRole('dialog', { name: 'Revoke 1 OAuth token' });
  await waitFor(() => expect(textOf(question)).toContain('1 token matches now.'));
  expect(textOf(question)).toContain(`Google refresh token of #${USER}`);
  serve(OAUTH.filter(({ form, provider }) => form === 'json' || provider === 'github'));
  await user.click(within(question).getByRole('button', { name: 'Revoke 1 OAuth token' }));
  await screen.findByText('1 token revoked: it no longer exists');
  await waitFor(() => expect(rowsOf('OAuth')).toHaveLength(2));
  expect(api.asked(tokenContracts.oauthRevoke)[1]).toEqual({ ids: [idOf('refresh')], dryRun: false });
});

it('lists verification tokens of both forms by type, and revokes one from its details', {
  tags: 'long',
}, async () => {
  serve();
  const tokens = [
    verification('reset', {}),
    verification('phone', { type: 'phone_change', form: 'json', ttlSeconds: 500 }),
  ];
  api.answer(tokenContracts.verificationList, ({ type }) =>
    listed(tokens.filter((token) => !type || token.type === type)),
  );
  api.answer(tokenContracts.verificationRevoke, ({ dryRun }) => (dryRun ? counted(1) : proof(1)));
  const { user } = renderAt(`/demo/tokens?tab=verification&user=${USER}`, <Tokens />);
  await screen.findByRole('row', { name: /password reset.*hash/ });
  await user.click(screen.getByRole('row', { name: /phone change.*JSON.*soon/ }));
  const details = within(await screen.findByRole('dialog', { name: `phone change of #${USER}` }));
  details.getByText(/The value is never shown/);
  await user.click(details.getByRole('button', { name: 'Revoke this token' }));
  const question = await screen.findByRole('dialog', { name: 'Revoke 1 verification token' });
  expect(textOf(question)).toContain('The links and codes stop working');
  await waitFor(() => expect(textOf(question)).toContain('1 token matches now.'));
  await user.click(within(question).getByRole('button', { name: 'Revoke 1 verification token' }));
  await screen.findByText('1 token revoked: it no longer exists');
  expect(api.asked(tokenContracts.verificationRevoke)[1]).toEqual({ ids: [idOf('phone')], dryRun: false });
  await user.click(screen.getByRole('checkbox', { name: /^password reset 1/ }));
  expect(window.location.search).toContain('type=password_reset');
});

it('ends a sign-in flow, and shows the consequence', { tags: ['long'] }, async () => {
  serve();
  const id = 'flow------------------';
  api.answer(tokenContracts.stateList, ({ provider }) =>
    listed([{ id, provider: provider ?? null, createdAt: ago(20), createdFrom: 'value', ttlSeconds: 280 }]),
  );
  api.answer(tokenContracts.stateRevoke, ({ dryRun }) => (dryRun ? counted(1) : proof(1)));
  const { user } = renderAt('/demo/tokens?tab=states&provider=some-flow&within=300', <Tokens />);
  const row = await rowWith('some-flow');
  expect(api.asked(tokenContracts.stateList)).toContainEqual(
    expect.objectContaining({ provider: 'some-flow', expiringWithinSeconds: 300 }),
  );
  await user.click(within(row).getByRole('checkbox'));
  await user.click(screen.getByRole('button', { name: 'End 1 flow' }));
  const question = await screen.findByRole('dialog', { name: 'End 1 flow' });
  expect(textOf(question)).toContain('have to sign in again');
  await waitFor(() => expect(textOf(question)).toContain('1 token matches now.'));
  await user.click(within(question).getByRole('button', { name: 'End 1 flow' }));
  await screen.findByText('1 token revoked: it no longer exists');
});

it('watches what takes long as a job, in the address', { tags: 'long' }, async () => {
  serve();
  api.answer(tokenContracts.oauthRevoke, ({ dryRun }) =>
    dryRun ? counted(3) : { jobId: JOB_ID, auditId: 'audit-1' },
  );
  api.answer(jobContracts.get, jobOf());
  const { user, unmount } = renderAt(`/demo/tokens?user=${USER}`, <Tokens />);
  await user.click(await screen.findByRole('button', { name: 'Revoke all matches…' }));
  await user.click(await screen.findByRole('button', { name: 'Revoke 3 OAuth tokens' }));
  await waitFor(() => expect(window.location.search).toContain(`job=${JOB_ID}`));
  const job = await screen.findByRole('dialog', { name: 'Job' });
  await waitFor(() => expect(textOf(job)).toContain(JOB_ID));
  unmount();
  renderAt(`/demo/tokens?user=${USER}&job=${JOB_ID}`, <Tokens />);
  await waitFor(() => expect(textOf(screen.getByRole('dialog', { name: 'Job' }))).toContain('Done'));
});

it('asks for the id of a production connection', { tags: 'long' }, async () => {
  serve();
  api.answer(tokenContracts.oauthRevoke, ({ dryRun }) => (dryRun ? counted(1) : proof(1)));
  const { user, fill } = renderAt(`/live/tokens?user=${USER}&kind=access`, <Tokens />, {
    connection: { id: 'live', environment: 'production' },
  });
  await waitFor(() => expect(rowsOf('OAuth')).toHaveLength(1));
  await user.click(within(rowsOf('OAuth')[0]!).getByRole('checkbox'));
  await user.click(screen.getByRole('button', { name: 'Revoke 1 OAuth token' }));
  const question = await screen.findByRole('dialog');
  const revoke = within(question).getByRole('button', { name: 'Revoke 1 OAuth token' });
  await waitFor(() => expect(textOf(question)).toContain('1 token matches now.'));
  expect(revoke).toHaveProperty('disabled', true);
  await fill(within(question).getByLabelText(/Production: type live/), 'live');
  await user.click(revoke);
  await screen.findByText('1 token revoked: it no longer exists');
  expect(api.asked(tokenContracts.oauthRevoke).at(-1)).toMatchObject({ confirm: 'live' });
});

it('works without a mouse, and links to the search by name', { tags: 'long' }, async () => {
  serve();
  const { user, fill } = renderAt(`/demo/tokens?user=${USER}`, <Tokens />);
  await waitFor(() => expect(rowsOf('OAuth')).toHaveLength(3));
  await user.keyboard('j');
  expect(document.activeElement).toBe(rowsOf('OAuth')[0]);
  await user.keyboard('x');
  await screen.findByText('1 selected');
  await user.keyboard('{Enter}');
  expect(textOf(await screen.findByRole('dialog'))).toContain('The value is never shown');
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await user.keyboard('/');
  const search = screen.getByRole('searchbox', { name: 'User id' });
  expect(document.activeElement).toBe(search);
  await fill(search, 'li[we*');
  await screen.findByText('Not a user id');
  expect(rowsOf('OAuth')).toHaveLength(0);
  const find = screen.getByRole('link', { name: 'Search sessions by this name' });
  expect(find.getAttribute('href')).toBe('/demo/sessions?name=li%5Bwe*');
});

it('shows no token to viewers and product', () => {
  for (const role of ['viewer', 'product'] as const) {
    const { unmount } = renderAt(`/demo/tokens?user=${USER}`, <Tokens />, { role });
    screen.getByText('You don’t have access to this page');
    expect(textOf(document.body)).not.toContain(USER);
    unmount();
  }
});

it('reports that Redis is unreachable, and what to do', { tags: 'long' }, async () => {
  api.refuse(sessionContracts.stats, 'unreachable', 'Redis of connection demo does not answer.');
  api.refuse(tokenContracts.oauthList, 'unreachable', 'Redis of connection demo does not answer.');
  renderAt('/demo/tokens', <Tokens />);
  const alert = await screen.findByRole('alert');
  expect(textOf(alert)).toContain('Redis is unreachable');
  expect(textOf(alert)).toContain('The page updates when Redis responds.');
});
