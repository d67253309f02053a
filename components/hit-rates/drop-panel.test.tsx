import { screen, waitFor, within } from '@testing-library/react/pure';
import { expect, it, vi } from 'vitest';
import { hitRateContracts } from '@/lib/hit-rates/schema';
import { fakeApi } from '@/scripts/testing/fake-api';
import { changeOf, eventOf, familyChange, minute } from '@/scripts/testing/hit-rate-change';
import { renderAt, textOf } from '@/scripts/testing/render';
import { DropPanel } from './drop-panel';

const api = fakeApi();

const RANGE = { from: Date.parse(minute(10)), to: Date.parse(minute(30)) };

const open = (change = changeOf(), range: typeof RANGE | null = RANGE) => {
  api.answer(hitRateContracts.change, change);
  const [onRange, onOpen] = [vi.fn(), vi.fn()];
  const props = { range, shown: { from: 0, to: 1000 }, styleOf: () => ({ color: 1 as const }) };
  const view = renderAt('/demo/hit-rates', <DropPanel {...props} onRange={onRange} onOpen={onOpen} />);
  return { ...view, onRange, onOpen };
};

it('answers which family, since when and what happened just before, and leads to the family', async () => {
  const noise = familyChange('authors', { share: 0.1, certain: false });
  const { user, onOpen } = open(
    changeOf({
      families: [familyChange('shouts', { title: 'Shout cache' }), noise],
      events: [
        eventOf(minute(-5), { kind: 'annotation', auditId: null, href: 'https://ci.example/1' }),
        eventOf(minute(13)),
      ],
      tooFew: [familyChange('topics', { title: 'Topics', share: null, certain: false })],
    }),
  );
  expect(textOf(await screen.findByTestId('drop-answer'))).toBe(
    'Shout cache accounts for 82.0% of the additional misses since 09:14. ' +
      'An invalidation happened just before, at 09:13.',
  );
  const rows = screen.getAllByRole('row').slice(1).map(textOf);
  expect(rows[0]).toMatch(/Shout cache.*82\.0%.*Certain.*09:14.*90\.0% ± 10 → 20\.0% ± 10/);
  expect(rows[1]).toMatch(/authors.*Within noise/);
  const events = within(screen.getByRole('region', { name: 'What happened' }));
  expect(events.getAllByRole('listitem').map((item) => textOf(item).slice(0, 18))).toEqual([
    '09:13Invalidation ',
    '08:55Mark shouts: ',
  ]);
  expect(events.getByRole('link', { name: 'Audit entry' }).getAttribute('href')).toBe('/audit?entry=audit-1');
  expect(events.getByRole('link', { name: 'Open link' }).getAttribute('href')).toBe('https://ci.example/1');
  screen.getByText('Too few look-ups to compare: Topics.');
  await user.click(screen.getByRole('button', { name: 'Shout cache' }));
  expect(onOpen).toHaveBeenCalledWith('shouts');
});

it('is opened and changed by keyboard: a button, and two time fields', async () => {
  const first = open(changeOf(), null);
  await first.user.click(screen.getByRole('button', { name: 'Explain a drop' }));
  expect(first.onRange).toHaveBeenCalledWith({ from: 500, to: 1000 });
  first.unmount();
  const { fill, onRange } = open();
  await fill(screen.getByLabelText('From'), '2026-01-01T09:05');
  await waitFor(() => expect(onRange).toHaveBeenCalled());
  const [[{ from, to }]] = onRange.mock.calls as [[typeof RANGE]];
  expect(to).toBe(RANGE.to);
  expect(new Date(from).getMinutes()).toBe(5);
});
