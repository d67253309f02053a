import { fireEvent, screen } from '@testing-library/react/pure';
import { expect, it, vi } from 'vitest';
import { renderAt } from '@/scripts/testing/render';
import { Tooltip } from './tooltip';

const open = () =>
  renderAt(
    '/',
    <>
      <Tooltip label="what it means">
        <button type="button" aria-describedby="before">
          word
        </button>
      </Tooltip>
      <p>elsewhere</p>
    </>,
  );
const word = () => screen.getByRole('button', { name: 'word' });

it('describes its child while it is pointed at, and is not there before', async () => {
  const { user } = open();
  expect(word().getAttribute('aria-describedby')).toBe('before');
  await user.hover(word());
  const tooltip = await screen.findByRole('tooltip');
  expect(document.getElementById(word().getAttribute('aria-describedby')!)?.textContent).toBe(
    'what it means',
  );
  expect(tooltip.textContent).toContain('what it means');
  await user.unhover(word());
  expect(screen.queryByRole('tooltip')).toBeNull();
});

it('opens by the focus at once, and closes by Esc and without the focus', async () => {
  const { user } = open();
  await user.tab();
  await screen.findByRole('tooltip');
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('tooltip')).toBeNull();
  await user.tab();
  await user.tab();
  await screen.findByRole('tooltip');
  await user.tab();
  expect(screen.queryByRole('tooltip')).toBeNull();
});

it('stays after a tap until the next one elsewhere', async () => {
  open();
  fireEvent.pointerOver(word(), { pointerType: 'touch' });
  fireEvent.pointerOut(word(), { pointerType: 'touch' });
  await screen.findByRole('tooltip');
  fireEvent.pointerDown(screen.getByText('elsewhere'));
  expect(screen.queryByRole('tooltip')).toBeNull();
});

it('does not open where it is disabled, or for who has left before', async () => {
  const { user } = renderAt(
    '/',
    <Tooltip label="nothing" disabled>
      <button type="button">word</button>
    </Tooltip>,
  );
  await user.tab();
  expect(screen.queryByRole('tooltip')).toBeNull();
});

it('does not open after it is gone', () => {
  vi.useFakeTimers();
  const { unmount } = open();
  fireEvent.pointerEnter(word());
  expect(vi.getTimerCount()).toBeGreaterThan(0);
  const others = vi.getTimerCount() - 1;
  unmount();
  expect(vi.getTimerCount()).toBeLessThanOrEqual(others);
  vi.useRealTimers();
});
