import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import { connectionContracts } from '@/lib/connections/schema';
import { historyContracts } from '@/lib/history/schema';
import { jobContracts } from '@/lib/jobs/schema';
import { overviewContracts } from '@/lib/overview/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { ConsoleShell } from './console-shell';
import { PageOfRoles } from './page-of-roles';

const api = fakeApi();
const viewer = { id: 'u', name: 'Ann', email: 'ann@example.org', role: 'admin' } as const;

const connection = (...roles: string[]) => ({
  id: 'demo',
  name: 'Demo',
  environment: 'development' as const,
  role: 'primary' as const,
  readOnly: false,
  roles,
  entities: [],
});

const inShell = (address: string, ...roles: string[]) => {
  const facts = connection(...roles);
  api.refuse(connectionContracts.list, 'unreachable', 'not needed');
  api.refuse(overviewContracts.get, 'unreachable', 'not needed');
  api.answer(jobContracts.list, { items: [], nextCursor: null });
  api.tell(historyContracts.stream, []);
  return renderAt(
    address,
    <ConsoleShell viewer={viewer} connections={[facts]} remembered={null} more={false}>
      <PageOfRoles>
        <p>The page itself</p>
      </PageOfRoles>
    </ConsoleShell>,
    { connection: facts },
  );
};

it('is in the navigation and in the search where the catalog has a role for it', async () => {
  const { user } = inShell('/demo/env', 'variable', 'session');
  screen.getByText('The page itself');
  const pages = within(screen.getByRole('navigation', { name: 'Pages' })).getAllByRole('link');
  const names = pages.map(textOf);
  expect(names).toEqual(expect.arrayContaining(['Overview', 'Sessions', 'Environment', 'Audit log']));
  for (const missing of ['Tokens', 'Feature flags', 'Traffic guard']) expect(names).not.toContain(missing);
  await user.keyboard('{Control>}k{/Control}');
  await screen.findByRole('button', { name: 'Sessions' });
  expect(screen.queryByRole('button', { name: 'Tokens' })).toBeNull();
  // Whether it is open is kept outside the page, so that it would be open in the next test.
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('says what is missing where the catalog has none, with a link to the catalog', () => {
  inShell('/demo/guard', 'session', 'presence');
  expect(screen.queryByText('The page itself')).toBeNull();
  screen.getByText('Nothing for this page in the catalog');
  expect(textOf(document.querySelector('main'))).toContain('one of these roles: ban list, block list');
  expect(screen.getByRole('link', { name: 'Open catalog' }).getAttribute('href')).toBe('/demo/catalog');
});

it('is always there when it needs no role', () => {
  inShell('/demo/hit-rates');
  screen.getByText('The page itself');
});
