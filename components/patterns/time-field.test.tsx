import { screen, waitFor } from '@testing-library/react/pure';
import { useState } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { renderAt } from '@/scripts/testing/render';
import { AbsoluteTime } from './relative-time';
import { TimeField } from './time-field';

/** The browser's zone, as `Intl` reports it. */
const browserIn = (timeZone: string): void => {
  const options = Intl.DateTimeFormat().resolvedOptions();
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({ ...options, timeZone });
};

afterEach(() => vi.restoreAllMocks());

const Until = ({ first = '' }: { first?: string }) => {
  const [at, setAt] = useState(first);
  return (
    <>
      <TimeField label="Until" value={at} onChange={setAt} />
      <output>{at}</output>
    </>
  );
};

const field = () => screen.getByLabelText<HTMLInputElement>('Until');
const iso = () => document.querySelector('output')!.textContent;

it.each([
  { zone: 'Europe/Berlin', named: 'Europe/Berlin (UTC+1)', at: '2026-01-15T13:30:00.000Z' },
  { zone: 'America/New_York', named: 'America/New_York (UTC−5)', at: '2026-01-15T19:30:00.000Z' },
])('takes a time in $zone, names the zone, and takes UTC instead', async ({ zone, named, at }) => {
  browserIn(zone);
  const { user, fill } = renderAt('/demo/guard', <Until />);
  await fill(field(), '2026-01-15T14:30');
  expect(iso()).toBe(at);
  await screen.findByText(named);
  await user.click(screen.getByRole('radio', { name: 'UTC' }));
  await waitFor(() => expect(field().value).toBe(at.slice(0, 16)));
  expect(iso()).toBe(at);
  await fill(field(), '2026-01-15T14:30');
  expect(iso()).toBe('2026-01-15T14:30:00.000Z');
});

it('warns of times that the clocks skip or repeat', async () => {
  browserIn('Europe/Berlin');
  const { fill } = renderAt('/demo/guard', <Until />);
  await fill(field(), '2026-03-29T02:30');
  await screen.findByText('This time does not exist: clocks go forward. 03:30 is used.');
  await fill(field(), '2026-10-25T02:30');
  await screen.findByText(/^This time comes twice/);
  expect(iso()).toBe('2026-10-25T00:30:00.000Z');
});

it('shows a given time, and none while what is typed is not a time', async () => {
  browserIn('America/New_York');
  const { fill } = renderAt('/demo/guard', <Until first="2026-07-01T12:00:30.000Z" />);
  await waitFor(() => expect(field().value).toBe('2026-07-01T08:00'));
  expect(iso()).toBe('2026-07-01T12:00:30.000Z');
  await fill(field(), '');
  expect(iso()).toBe('');
});

it('shows a time in the zone of the user', () => {
  browserIn('Asia/Tokyo');
  renderAt('/audit', <AbsoluteTime at="2026-01-15T20:00:00.000Z" />);
  expect(screen.getByRole('time').textContent).toMatch(/16.*05:00:00/);
});
