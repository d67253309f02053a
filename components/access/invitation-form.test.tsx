import { screen, waitFor } from '@testing-library/react/pure';
import { expect, it, vi } from 'vitest';
import * as credentials from '@/components/patterns/credentials';
import { linkContracts } from '@/lib/users/invitations/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { InvitationForm } from './invitation-form';

const api = fakeApi();
const CODE = 'c0de'.repeat(24);
const LINK = {
  email: 'nina@example.org',
  name: 'Nina',
  kind: 'invitation' as const,
  linkUntil: '2027-01-02T03:04:05.000Z',
};

it('takes the code out of the address, and says whom the link is for and until when', async () => {
  api.answer(linkContracts.get, LINK);
  renderAt(`/invitation#${CODE}`, <InvitationForm />);
  expect(await screen.findByDisplayValue('nina@example.org')).toHaveProperty('readOnly', true);
  expect(window.location.hash).toBe('');
  expect(window.location.pathname).toBe('/invitation');
  expect(document.documentElement.outerHTML).not.toContain(CODE);
  expect(textOf(screen.getByText(/works once, until/))).toContain('2027');
  expect(api.asked(linkContracts.get)).toEqual([{ code: CODE }]);
});

it('sets the password and signs in', { tags: ['long'] }, async () => {
  const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  const signIn = vi.spyOn(credentials, 'signIn').mockResolvedValue({ ok: true });
  api.answer(linkContracts.get, LINK);
  api.answer(linkContracts.accept, { email: LINK.email, auditId: 'audit-1' });
  const { user, fill } = renderAt(`/invitation#${CODE}`, <InvitationForm />);
  await fill(await screen.findByLabelText(/^Password/), 'a-password-of-ten');
  await user.click(screen.getByRole('button', { name: 'Set password and sign in' }));
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/'));
  expect(api.asked(linkContracts.accept)).toEqual([{ code: CODE, password: 'a-password-of-ten' }]);
  expect(signIn).toHaveBeenCalledWith('nina@example.org', 'a-password-of-ten');
  vi.restoreAllMocks();
});

it('goes to the sign-in page where the password alone does not sign in', async () => {
  const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  vi.spyOn(credentials, 'signIn').mockResolvedValue({ ok: false, reason: 'refused' });
  api.answer(linkContracts.get, { ...LINK, kind: 'reset' });
  api.answer(linkContracts.accept, { email: LINK.email, auditId: 'audit-1' });
  const { user, fill } = renderAt(`/invitation#${CODE}`, <InvitationForm />);
  await screen.findByText(/ends your sessions/);
  await fill(await screen.findByLabelText(/^Password/), 'a-password-of-ten');
  await user.click(screen.getByRole('button', { name: 'Set password and sign in' }));
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/sign-in'));
  vi.restoreAllMocks();
});

it('says that a link has ended, also while the password is typed, and takes another in the same tab', async () => {
  api.refuse(linkContracts.get, 'not_found', 'This link is not valid.');
  const { user, fill } = renderAt(`/invitation#${CODE}`, <InvitationForm />);
  await screen.findByText(/This link is not valid/);
  expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/sign-in');
  api.answer(linkContracts.get, LINK);
  window.location.hash = `#${'b'.repeat(96)}`;
  window.dispatchEvent(new Event('hashchange'));
  await fill(await screen.findByLabelText(/^Password/), 'a-password-of-ten');
  api.refuse(linkContracts.accept, 'not_found', 'This link is not valid.');
  await user.click(screen.getByRole('button', { name: 'Set password and sign in' }));
  await screen.findByText(/This link is not valid/);
  expect(window.location.hash).toBe('');
});

it('says that the link is incomplete, and offers to try again when the server fails', async () => {
  const { unmount } = renderAt('/invitation', <InvitationForm />);
  await screen.findByText(/needs the complete link/);
  expect(api.asked(linkContracts.get)).toEqual([]);
  unmount();
  api.refuse(linkContracts.get, 'store_unavailable', 'The store does not respond.');
  const { user } = renderAt(`/invitation#${CODE}`, <InvitationForm />);
  await screen.findByText(/The store does not respond/);
  api.answer(linkContracts.get, LINK);
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByDisplayValue('nina@example.org');
});
