import { act, fireEvent, screen, waitFor, within } from '@testing-library/react/pure';
import { afterEach, expect, it, vi } from 'vitest';
import { RelativeTime } from '@/components/patterns/relative-time';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { connectionContracts } from '@/lib/connections/schema';
import { historyContracts } from '@/lib/history/schema';
import { jobContracts } from '@/lib/jobs/schema';
import { overviewContracts } from '@/lib/overview/schema';
import { connectionRow } from '@/scripts/testing/connection-row';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { ConsoleShell } from './console-shell';

const api = fakeApi();
afterEach(() => void vi.useRealTimers());

const serve = (status: 'ready' | 'unreachable'): void => {
  const statusReason = status === 'ready' ? null : 'nothing is listening at its address';
  api.answer(connectionContracts.list, {
    items: [connectionRow({ status, statusReason })],
    nextCursor: null,
  });
  api.refuse(overviewContracts.get, 'unreachable', 'unreachable');
  api.answer(jobContracts.list, { items: [], nextCursor: null });
  api.tell(historyContracts.stream, []);
};

const open = (address: string) => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const viewer = { id: 'u', name: 'Ann', email: 'ann@example.org', role: 'admin' } as const;
  renderAt(
    address,
    <ConsoleShell viewer={viewer} connections={[connectionRow()]} remembered={null} more={false}>
      <StaleBanner error={new Error('the list failed')} valuesFrom={Date.now()} />
      <p data-testid="time">
        <RelativeTime at={new Date().toISOString()} />
      </p>
    </ConsoleShell>,
  );
};

const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const spoken = () => screen.getAllByRole('status').map(textOf).join('');

it('reports an unreachable Redis once for the page within five seconds, and when it is back', async () => {
  serve('ready');
  open('/demo/flags');
  await screen.findByText('the list failed', { exact: false });
  expect(textOf(screen.getByTestId('time'))).toBe('now');
  serve('unreachable');
  await advance(5000);
  const banner = screen.getByTestId('outage');
  expect(textOf(banner)).toMatch(/^Redis is unreachable.*Reason: nothing is listening at its address\.$/);
  expect(screen.queryByText('the list failed', { exact: false })).toBeNull();
  expect(textOf(screen.getByTestId('time'))).toMatch(/^\d+ s ago$/);
  // The age in the banner changes every second and is not spoken.
  expect(within(banner).queryByRole('status')).toBeNull();
  expect(spoken()).toBe('Redis is unreachable');
  await advance(3000);
  expect(spoken()).toBe('Redis is unreachable');
  serve('ready');
  await advance(3000);
  await waitFor(() => expect(screen.queryByTestId('outage')).toBeNull());
  expect(screen.getByText('Redis is reachable again.')).toBeTruthy();
});

it('comes between no pressing and releasing: what moved under the pointer would lose the click', async () => {
  serve('ready');
  open('/demo/flags');
  await screen.findByText('the list failed', { exact: false });
  fireEvent.pointerDown(screen.getByTestId('time'));
  serve('unreachable');
  await advance(5000);
  expect(screen.queryByTestId('outage')).toBeNull();
  screen.getByText('the list failed', { exact: false });
  fireEvent.pointerUp(document.body);
  await advance(0);
  screen.getByTestId('outage');
});

it('names the Redis on a page that is not of its connection', async () => {
  serve('unreachable');
  open('/jobs');
  expect(textOf(await screen.findByTestId('outage'))).toMatch(/^Redis of Demo is unreachable\. /);
});

it('reports a store that is unreachable', async () => {
  serve('ready');
  api.refuse(jobContracts.list, 'store_unavailable', 'no store');
  open('/demo/flags');
  expect(textOf(await screen.findByTestId('outage'))).toMatch(/^Keyward’s store is unreachable\. /);
});

it('reports that the console itself does not respond', async () => {
  serve('ready');
  open('/demo/flags');
  await waitFor(() => expect(api.asked(connectionContracts.list)).toHaveLength(1));
  const answer = fetch;
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('failed to fetch')));
  await advance(4000);
  expect(textOf(screen.getByTestId('outage'))).toMatch(/^Keyward does not respond/);
  vi.stubGlobal('fetch', answer);
  await advance(3000);
  expect(screen.getByText('Keyward responds again.')).toBeTruthy();
});
