import { screen } from '@testing-library/react/pure';
import { afterEach, expect, it, vi } from 'vitest';
import { renderAt } from '@/scripts/testing/render';
import { keepTyping } from './keep-typing';

// jsdom has no editing commands.
const insert = vi.fn();
Object.assign(document, { execCommand: insert });
afterEach(() => insert.mockClear());

const page = () =>
  renderAt(
    '/demo/overview',
    <div role="dialog">
      <input aria-label="Search" />
    </div>,
  );

it('inserts once what was typed before the search had the focus', async () => {
  const { user } = page();
  keepTyping();
  await user.keyboard('ann');
  screen.getByLabelText('Search').focus();
  expect(insert.mock.calls).toEqual([['insertText', false, 'ann']]);
});

it('inserts it once after a search that was closed before it had the focus', async () => {
  const { user } = page();
  keepTyping();
  keepTyping();
  await user.keyboard('ann');
  screen.getByLabelText('Search').focus();
  expect(insert.mock.calls).toEqual([['insertText', false, 'ann']]);
});

it('inserts nothing after Esc', async () => {
  const { user } = page();
  keepTyping();
  await user.keyboard('an{Escape}n');
  screen.getByLabelText('Search').focus();
  expect(insert).not.toHaveBeenCalled();
});
