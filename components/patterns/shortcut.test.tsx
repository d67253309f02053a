import { fireEvent, screen, waitFor } from '@testing-library/react/pure';
import { afterEach, expect, it, vi } from 'vitest';
import { Header } from '@/components/shell/header';
import { renderAt, textOf } from '@/scripts/testing/render';
import { isSlash, letterOf } from './shortcut';

afterEach(() => {
  Reflect.deleteProperty(navigator, 'keyboard');
});

it.each([
  ['Latin', 'k', 'KeyK', 'k'],
  ['with caps lock', 'K', 'KeyK', 'k'],
  ['Russian', 'л', 'KeyK', 'k'],
  ['Greek', 'κ', 'KeyK', 'k'],
  ['Hebrew', 'ל', 'KeyK', 'k'],
  ['Russian j', 'о', 'KeyJ', 'j'],
  ['Greek x', 'χ', 'KeyX', 'x'],
  // Dvorak: what is typed is what is meant.
  ['Dvorak', 'k', 'KeyV', 'k'],
  ['another key', 'Enter', 'Enter', undefined],
])('knows a letter on each layout: %s', (_, key, code, letter) => {
  expect(letterOf({ key, code })).toBe(letter);
});

it.each([
  ['Latin', { key: '/', code: 'Slash', shiftKey: false }, true],
  ['German', { key: '/', code: 'Digit7', shiftKey: true }, true],
  ['Russian', { key: '.', code: 'Slash', shiftKey: false }, true],
  ['a question mark', { key: '?', code: 'Slash', shiftKey: true }, false],
])('knows a slash: %s', (_, event, is) => {
  expect(isSlash(event)).toBe(is);
});

it('takes Ctrl+K on a Russian layout, and shows the key as that has it', async () => {
  const layout = new Map([['KeyK', 'л']]);
  Object.assign(navigator, { keyboard: { getLayoutMap: async () => layout } });
  renderAt('/demo/overview', <Header current={null} onMenu={() => {}} onHelp={() => {}} />);
  await waitFor(() => expect(textOf(screen.getByRole('button', { name: 'Search' }))).toContain('Ctrl+Л'));
  const isTaken = (modifiers: object) =>
    !fireEvent.keyDown(document.body, { key: 'л', code: 'KeyK', ...modifiers });
  expect(isTaken({})).toBe(false);
  expect(isTaken({ ctrlKey: true, shiftKey: true })).toBe(false);
  expect(isTaken({ ctrlKey: true })).toBe(true);
  expect(isTaken({ metaKey: true })).toBe(true);
  // What is typed until the search is there is kept for it.
  expect(isTaken({})).toBe(true);
});

it('opens the help by a question mark, not from a field', async () => {
  const onHelp = vi.fn();
  renderAt(
    '/demo/overview',
    <>
      <Header current={null} onMenu={() => {}} onHelp={onHelp} />
      <input aria-label="field" />
    </>,
  );
  fireEvent.keyDown(screen.getByLabelText('field'), { key: '?', code: 'Slash', shiftKey: true });
  expect(onHelp).not.toHaveBeenCalled();
  fireEvent.keyDown(document.body, { key: '?', code: 'Slash', shiftKey: true });
  fireEvent.keyDown(document.body, { key: ',', code: 'Slash', shiftKey: true });
  expect(onHelp).toHaveBeenCalledTimes(2);
});
