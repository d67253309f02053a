import { screen, waitFor } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { ConnectionProvider, useConnection } from '@/components/patterns/connection';
import { type Connection, connectionContracts } from '@/lib/connections/schema';
import { historyContracts } from '@/lib/history/schema';
import { jobContracts } from '@/lib/jobs/schema';
import { overviewContracts } from '@/lib/overview/schema';
import { connectionRow } from '@/scripts/testing/connection-row';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt } from '@/scripts/testing/render';
import { ConsoleShell } from './console-shell';

const api = fakeApi();

const DEMO = connectionRow();

const serve = (role: Connection['role']): void => {
  api.answer(connectionContracts.list, {
    items: [connectionRow({ role, readOnly: role === 'replica' })],
    nextCursor: null,
  });
  api.refuse(overviewContracts.get, 'unreachable', 'gone');
  api.answer(jobContracts.list, { items: [], nextCursor: null });
  api.tell(historyContracts.stream, []);
};

const Page = () => {
  const { readOnly } = useConnection();
  return (
    <>
      {!readOnly && <p>It can be changed</p>}
      <ChangeDrawer
        opened
        onClose={() => {}}
        title="t"
        verb="Change it"
        pending={false}
        error={null}
        onSubmit={() => {}}
      >
        words
      </ChangeDrawer>
    </>
  );
};

const open = () =>
  renderAt(
    '/demo/overview',
    <ConsoleShell
      viewer={{ id: 'u', name: 'Ann', email: 'ann@example.org', role: 'admin' }}
      connections={[DEMO]}
      remembered={null}
      more={false}
    >
      <ConnectionProvider connection={DEMO}>
        <Page />
      </ConnectionProvider>
    </ConsoleShell>,
  );

it('shows that the server became a replica, and disables changes', { tags: ['long'] }, async () => {
  serve('replica');
  open();
  await screen.findByTitle('This server is a replica and accepts no changes.');
  await waitFor(() => expect(screen.queryByText('It can be changed')).toBeNull());
  screen.getByText('The server of Demo is a replica and accepts no changes.');
  expect(screen.getByRole('button', { name: 'Change it' })).toHaveProperty('disabled', true);
});

it('allows changes on a primary', { tags: ['long'] }, async () => {
  serve('primary');
  open();
  await waitFor(() => expect(api.asked(connectionContracts.list)).toHaveLength(1));
  expect(screen.getByText('It can be changed')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Change it' })).toHaveProperty('disabled', false);
  expect(screen.queryByText('replica, read-only')).toBeNull();
});

it('says why there are no live figures, and retries after a delay', async () => {
  serve('primary');
  const detail = 'You have 8 live views open.';
  api.refuse(historyContracts.stream, 'throttled', detail);
  open();
  await screen.findByTitle(detail);
  screen.getByText('too many live views');
  // The stream, and the request for its reason; the next attempt is a second away.
  expect(api.asked(historyContracts.stream)).toHaveLength(2);
  const figures = [
    'hits',
    'misses',
    'usedMemoryBytes',
    'maxMemoryBytes',
    'connectedClients',
    'evictedPerSecond',
  ];
  const rates = ['expiredPerSecond', 'netInBytesPerSecond', 'netOutBytesPerSecond'];
  const zeros = Object.fromEntries([...figures, ...rates].map((name) => [name, 0]));
  const point = { at: new Date().toISOString(), ...zeros, opsPerSecond: 77, hitRate: null, latencyMs: null };
  api.tell(historyContracts.stream, [{ event: 'point', data: point as never }]);
  await screen.findByText('77 ops/s', {}, { timeout: 4000 });
});
