import { act, screen } from '@testing-library/react/pure';
import { expect, it, vi } from 'vitest';
import { renderAt } from '@/scripts/testing/render';
import { FilterBar } from './filter-bar';
import { RelativeTime } from './relative-time';

it('speaks of a count after the user did something, and is silent while the list only refreshes', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  try {
    const { user } = renderAt('/demo/guard', <FilterBar status="4 addresses">Filters</FilterBar>);
    const live = () => screen.getByText('4 addresses').closest('[aria-live]')?.getAttribute('aria-live');
    expect(live()).toBe('off');
    await user.keyboard('a');
    expect(live()).toBe('polite');
    act(() => void vi.advanceTimersByTime(3000));
    expect(live()).toBe('off');
  } finally {
    vi.useRealTimers();
  }
});

it('does not speak each time an age in a status changes', () => {
  renderAt(
    '/demo/guard',
    <div role="status">
      Counted <RelativeTime at={new Date().toISOString()} />
    </div>,
  );
  expect(document.querySelector('time')?.getAttribute('aria-live')).toBe('off');
});
