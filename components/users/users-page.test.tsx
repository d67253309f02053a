import { screen, waitFor, within } from '@testing-library/react/pure';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import Users from '@/app/(console)/users/page';
import { forgetEnv } from '@/lib/configuration';
import { invitationContracts } from '@/lib/users/invitations/schema';
import { type ApiToken, apiTokenContracts, type User, userContracts } from '@/lib/users/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { rowWith } from '@/scripts/testing/table';

const api = fakeApi();
const ID = '11111111-2222-4333-8444-555555555555';
const PASSWORD = 'a-password-of-ten';

/** Whether the console has a mail server. */
const configure = ({ mail }: { mail: boolean }): void => {
  vi.stubEnv('REDIS_URL', 'redis://127.0.0.1');
  vi.stubEnv('KEYWARD_SMTP_URL', mail ? 'smtp://mail.example.org' : '');
  vi.stubEnv('KEYWARD_SMTP_FROM', mail ? 'keyward@example.org' : '');
  forgetEnv();
};
beforeEach(() => configure({ mail: false }));
afterAll(() => {
  vi.unstubAllEnvs();
  forgetEnv();
});

const somebody = (change: Partial<User> = {}): User => ({
  id: ID,
  email: 'nina@example.org',
  name: 'Nina Newcomer',
  role: 'support',
  disabled: false,
  secondFactor: false,
  createdAt: new Date().toISOString(),
  lastSeenAt: null,
  tokens: 0,
  changedOutside: false,
  invited: false,
  linkUntil: null,
  ...change,
});
const serve = (...items: User[]): void => api.answer(userContracts.list, { items, nextCursor: null });

const open = async (change: Partial<User> = {}) => {
  serve(somebody(change));
  const view = renderAt('/users', <Users />);
  await rowWith(change.name ?? 'Nina Newcomer');
  const begin = async (item: string) => {
    await view.user.click(screen.getByRole('button', { name: 'Change Nina Newcomer' }));
    await view.user.click(await screen.findByRole('menuitem', { name: item }));
    return within(await screen.findByRole('dialog'));
  };
  return { ...view, begin };
};

it('shows all users over several pages', async () => {
  const pages: Record<string, string> = { '': 'Ann', two: 'Ben', three: 'Cleo' };
  api.answer(userContracts.list, ({ cursor = '' }) => {
    const [next = null] = Object.keys(pages).slice(Object.keys(pages).indexOf(cursor) + 1);
    return { items: [somebody({ id: pages[cursor]!, name: pages[cursor]! })], nextCursor: next };
  });
  renderAt('/users', <Users />);
  for (const name of Object.values(pages)) await rowWith(name);
});

it('does not say that nobody matches while the list is unknown', { tags: 'long' }, async () => {
  api.refuse(userContracts.list, 'store_unavailable', 'The store does not respond.');
  renderAt('/users', <Users />);
  await screen.findByText(/The store does not respond/);
  expect(screen.queryByText('No users')).toBeNull();
});

it('searches by name or e-mail, in the address', async () => {
  api.answer(userContracts.list, ({ q }) => ({ items: q === 'nina' ? [somebody()] : [], nextCursor: null }));
  const { fill } = renderAt('/users?q=otto', <Users />);
  await screen.findByText('Nothing matches these filters.');
  await fill(screen.getByRole('searchbox', { name: 'Name or e-mail' }), 'nina');
  await rowWith('Nina Newcomer');
  expect(window.location.search).toBe('?q=nina');
});

it('creates a user, and says why the server refuses one', { tags: ['long'] }, async () => {
  const { user, fill } = await open();
  await user.click(screen.getByRole('button', { name: 'Create user' }));
  const drawer = within(await screen.findByRole('dialog'));
  await fill(drawer.getByLabelText(/^Name/), 'Second');
  await fill(drawer.getByLabelText(/^E-mail/), 'viewer@example.org');
  await user.click(drawer.getByRole('radio', { name: /^Viewer/ }));
  await user.click(drawer.getByRole('radio', { name: 'Enter a password' }));
  const verb = drawer.getByRole('button', { name: 'Create user' });
  await fill(drawer.getByLabelText(/^Password/), 'short');
  expect(verb).toHaveProperty('disabled', true);
  await fill(drawer.getByLabelText(/^Password/), PASSWORD);
  api.refuse(userContracts.create, 'conflict', 'Somebody has this e-mail address already.');
  await user.click(verb);
  expect(textOf(await drawer.findByRole('alert'))).toContain('e-mail address already');
  api.answer(userContracts.create, { user: somebody({ name: 'Second' }), auditId: 'audit-1' });
  await user.click(verb);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.asked(userContracts.create).at(-1)).toEqual({
    name: 'Second',
    email: 'viewer@example.org',
    role: 'viewer',
    password: PASSWORD,
  });
});

const LINK = `/invitation#${'a'.repeat(96)}`;
const made = (change: Partial<{ link: string | null; notMailed: string | null }> = {}) => ({
  user: somebody(),
  link: LINK,
  linkUntil: new Date(Date.now() + 600_000).toISOString(),
  notMailed: null,
  auditId: 'audit-1',
  ...change,
});
const linkShown = async () => (await screen.findByTestId('invitation-link')).textContent;

it('invites a user by a link that is shown once', { tags: ['long'] }, async () => {
  const { user, fill } = await open();
  await user.click(screen.getByRole('button', { name: 'Create user' }));
  const drawer = within(await screen.findByRole('dialog'));
  expect(drawer.queryByRole('radio', { name: /by e-mail/ })).toBeNull();
  expect(drawer.queryByLabelText(/^Password/, { selector: 'input[type=password]' })).toBeNull();
  await fill(drawer.getByLabelText(/^Name/), 'Second');
  await fill(drawer.getByLabelText(/^E-mail/), 'second@example.org');
  api.answer(invitationContracts.invite, made());
  await user.click(drawer.getByRole('button', { name: 'Invite user' }));
  expect(await linkShown()).toBe(window.location.origin + LINK);
  await user.click(screen.getByRole('button', { name: 'I copied the link' }));
  await waitFor(() => expect(screen.queryByTestId('invitation-link')).toBeNull());
  expect(document.documentElement.outerHTML).not.toContain('a'.repeat(96));
  const input = { name: 'Second', email: 'second@example.org', role: 'viewer', mail: false };
  expect(api.asked(invitationContracts.invite)).toEqual([input]);
});

it('mails the link where there is a mail server, and shows it when that fails', {
  tags: ['long'],
}, async () => {
  configure({ mail: true });
  const { user, fill } = await open();
  const invite = async (email: string) => {
    await user.click(screen.getByRole('button', { name: 'Create user' }));
    const drawer = within(await screen.findByRole('dialog'));
    await fill(drawer.getByLabelText(/^Name/), 'Second');
    await fill(drawer.getByLabelText(/^E-mail/), email);
    await user.click(drawer.getByRole('button', { name: 'Invite user' }));
  };
  api.answer(invitationContracts.invite, made({ link: null }));
  await invite('one@example.org');
  await screen.findByText('Link sent to nina@example.org');
  expect(screen.queryByTestId('invitation-link')).toBeNull();
  api.answer(invitationContracts.invite, made({ notMailed: 'No answer within 10 s.' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await invite('two@example.org');
  expect(await linkShown()).toContain(LINK);
  screen.getByText(/The mail was not sent. No answer within 10 s/);
  await user.click(screen.getByRole('button', { name: 'I copied the link' }));
  expect(api.asked(invitationContracts.invite)).toMatchObject([{ mail: true }, { mail: true }]);
});

it('says who is invited, until when, invites again and withdraws', { tags: ['long'] }, async () => {
  const linkUntil = new Date(Date.now() + 3 * 86_400_000).toISOString();
  const { user, begin, unmount } = await open({ invited: true, linkUntil });
  const row = textOf(await rowWith('Nina Newcomer'));
  expect(row).toContain('Invited');
  expect(row).toMatch(/in 3 d|in 2 d/);
  await user.click(screen.getByRole('button', { name: 'Change Nina Newcomer' }));
  const items = ['All changes', 'Change role…', 'Invite again…', 'Withdraw invitation…'];
  expect((await screen.findAllByRole('menuitem')).map(textOf).sort()).toEqual(items);
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('menuitem')).toBeNull());
  api.answer(invitationContracts.createLink, made());
  const again = await begin('Invite again…');
  await user.click(again.getByRole('button', { name: 'Make new link' }));
  expect(await linkShown()).toContain(LINK);
  await user.click(screen.getByRole('button', { name: 'I copied the link' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  api.answer(invitationContracts.withdraw, { id: ID, auditId: 'audit-2' });
  const withdraw = await begin('Withdraw invitation…');
  await user.click(withdraw.getByRole('button', { name: 'Withdraw invitation' }));
  await screen.findByText('Invitation of Nina Newcomer withdrawn');
  expect(api.asked(invitationContracts.createLink)).toEqual([{ id: ID, mail: false }]);
  expect(api.asked(invitationContracts.withdraw)).toEqual([{ id: ID }]);
  unmount();
  await open({ invited: true, linkUntil: null });
  expect(textOf(await rowWith('Nina Newcomer'))).toContain('Invitation expired');
});

it('resets a password by a link; a disabled user only gets one from the admin', {
  tags: ['long'],
}, async () => {
  const { user, begin, unmount } = await open({ tokens: 1 });
  api.answer(invitationContracts.createLink, made());
  const reset = await begin('Reset password…');
  reset.getByText('1 API token is also revoked.');
  await user.click(reset.getByRole('button', { name: 'Make reset link' }));
  expect(await linkShown()).toContain(LINK);
  await user.click(screen.getByRole('button', { name: 'I copied the link' }));
  unmount();
  const disabled = await open({ disabled: true });
  const typed = await disabled.begin('Reset password…');
  expect(typed.queryByRole('radio')).toBeNull();
  typed.getByLabelText(/^Password/, { selector: 'input' });
});

it('changes a role, disables with a reason, generates a password, and signs out', {
  tags: 'long',
}, async () => {
  const { user, fill, begin } = await open();
  api.answer(userContracts.update, { user: somebody(), tokensEnded: 0, auditId: 'audit-1' });
  const gone = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const role = await begin('Change role…');
  expect(role.getByRole('button', { name: 'Change role' })).toHaveProperty('disabled', true);
  await user.click(role.getByRole('radio', { name: /^Viewer/ }));
  await user.click(role.getByRole('button', { name: 'Change role' }));
  await gone();
  const disable = await begin('Disable…');
  await fill(disable.getByLabelText('Reason'), 'left the team');
  await user.click(disable.getByRole('button', { name: 'Disable user' }));
  await gone();
  const reset = await begin('Reset password…');
  await user.click(reset.getByRole('radio', { name: 'Enter a password' }));
  await user.click(reset.getByRole('button', { name: 'Generate' }));
  const made = reset.getByLabelText<HTMLInputElement>(/^Password/).value;
  await user.click(reset.getByRole('button', { name: 'Reset password' }));
  await gone();
  const out = await begin('Sign out everywhere…');
  await user.click(out.getByRole('button', { name: 'Sign out everywhere' }));
  await gone();
  expect(made.length).toBeGreaterThanOrEqual(10);
  expect(api.asked(userContracts.update)).toEqual(
    [
      { role: 'viewer' },
      { disabled: true, reason: 'left the team' },
      { password: made },
      { signOutEverywhere: true },
    ].map((change) => ({ id: ID, ...change })),
  );
});

it('says how many API tokens a change revokes, before and after it', { tags: ['long'] }, async () => {
  const { user, begin } = await open({ tokens: 2 });
  api.answer(userContracts.update, { user: somebody(), tokensEnded: 2, auditId: 'audit-1' });
  const role = await begin('Change role…');
  expect(role.queryByText(/end with it/)).toBeNull();
  await user.click(role.getByRole('radio', { name: /^Viewer/ }));
  role.getByText('2 API tokens are also revoked.');
  await user.click(role.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const disable = await begin('Disable…');
  disable.getByText('2 API tokens are also revoked.');
  await user.click(disable.getByRole('button', { name: 'Disable user' }));
  await screen.findByText('Nina Newcomer disabled. 2 API tokens revoked.');
});

it('says why users cannot disable themselves, and offers to enable disabled users', {
  tags: ['long'],
}, async () => {
  const { user, begin, unmount } = await open();
  api.refuse(userContracts.update, 'conflict', 'You cannot disable yourself.');
  const disable = await begin('Disable…');
  await user.click(disable.getByRole('button', { name: 'Disable user' }));
  expect(textOf(await disable.findByRole('alert'))).toContain('You cannot disable yourself.');
  unmount();
  const second = await open({ disabled: true });
  expect(textOf(await rowWith('Nina Newcomer'))).toContain('Disabled');
  await second.begin('Enable…');
});

it('says that a user was changed outside Keyward, and offers only to disable it', async () => {
  const { user, begin } = await open({ changedOutside: true });
  expect(textOf(await rowWith('Nina Newcomer'))).toContain('Refused: changed outside Keyward');
  await user.click(screen.getByRole('button', { name: 'Change Nina Newcomer' }));
  expect((await screen.findAllByRole('menuitem')).map(textOf)).toEqual(['Disable…', 'All changes']);
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('menuitem')).toBeNull());
  (await begin('Disable…')).getByText(/removes its role, password and sessions/);
});

it('leads to all that was done to a user', async () => {
  const { user } = await open();
  await user.click(screen.getByRole('button', { name: 'Change Nina Newcomer' }));
  await user.click(await screen.findByRole('menuitem', { name: 'All changes' }));
  await waitFor(() => expect(window.location.pathname).toBe('/audit'));
  expect(new URLSearchParams(window.location.search).get('subject')).toBe(`account:${somebody({}).email}`);
});

it("shows a user's name as text, whatever it says", async () => {
  await open({ name: '<script>alert(1)</script>' });
  screen.getByText('<script>alert(1)</script>');
  expect(document.querySelector('script')).toBeNull();
});

it('shows an API token once, and revokes one together with the tokens it created', {
  tags: ['long'],
}, async () => {
  const token: ApiToken = {
    id: ID,
    name: 'nightly',
    role: 'viewer',
    createdBy: 'admin@example.org',
    createdAt: new Date().toISOString(),
    expiresAt: null,
    lastUsedAt: null,
    changedOutside: false,
    tokens: 2,
  };
  const secret = 'kw_this-is-shown-once';
  api.answer(apiTokenContracts.list, { items: [token], nextCursor: null });
  api.answer(apiTokenContracts.create, { apiToken: token, token: secret, auditId: 'audit-1' });
  api.answer(apiTokenContracts.revoke, { id: ID, alsoEnded: 3, auditId: 'audit-2' });
  const { user, fill } = renderAt('/users?tab=tokens', <Users />);
  await user.click(screen.getByRole('button', { name: 'Create API token' }));
  const drawer = within(await screen.findByRole('dialog'));
  await fill(drawer.getByLabelText(/^Name/), 'nightly');
  await user.click(drawer.getByRole('radio', { name: /^Viewer/ }));
  await user.click(drawer.getByRole('button', { name: 'Create token' }));
  expect((await screen.findByTestId('api-token')).textContent).toBe(secret);
  await user.keyboard('{Escape}');
  screen.getByTestId('api-token');
  await user.click(screen.getByRole('button', { name: 'I stored the token' }));
  await waitFor(() => expect(screen.queryByTestId('api-token')).toBeNull());
  expect(document.documentElement.outerHTML).not.toContain(secret);
  expect(api.asked(apiTokenContracts.create)).toMatchObject([{ name: 'nightly', role: 'viewer' }]);
  expect(textOf(await rowWith('nightly'))).toContain('Viewer');
  await user.click(screen.getByRole('button', { name: 'Revoke API token nightly' }));
  const question = within(await screen.findByRole('dialog'));
  question.getByText('2 API tokens are also revoked.');
  await user.click(question.getByRole('button', { name: 'Revoke token' }));
  await screen.findByText('API token nightly revoked. 3 API tokens revoked.');
  await waitFor(() => expect(api.asked(apiTokenContracts.revoke)).toEqual([{ id: ID }]));
});

it('is not shown to other roles, and sends no request', () => {
  for (const role of ['viewer', 'support', 'product'] as const) {
    const { unmount } = renderAt('/users', <Users />, { role });
    screen.getByText('You don’t have access to this page');
    unmount();
  }
});
