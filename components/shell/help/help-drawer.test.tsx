import { fireEvent, screen, within } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { HelpDrawer } from './help-drawer';

fakeApi();

const open = (address: string) => renderAt(address, <HelpDrawer opened onClose={() => {}} />);
const sectionOf = (name: string): HTMLElement => screen.getByRole('heading', { name }).closest('section')!;

it('explains the page, its words first, and the keys', () => {
  open('/demo/sessions');
  expect(textOf(sectionOf('Sessions'))).toContain('Who is signed in to the application.');
  const [first] = within(sectionOf('Words of this page')).getAllByRole('term');
  expect(textOf(first)).toBe('Session');
  expect(textOf(sectionOf('All words'))).not.toContain('A sign-in of a user on a device');
  expect(textOf(sectionOf('Keys of the keyboard'))).toContain('Find anything');
});

it('searches in all words', () => {
  open('/audit');
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'INDEX' } });
  const words = within(sectionOf('All words')).getAllByRole('term').map(textOf);
  expect(words).toContain('Unindexed session');
  expect(words).not.toContain('Lock');
  expect(screen.queryByRole('heading', { name: 'Keys of the keyboard' })).toBeNull();
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'no such word' } });
  screen.getByText('No such word.');
});

it('has no page on a page of no navigation', () => {
  open('/account');
  expect(screen.queryByRole('heading', { name: 'Words of this page' })).toBeNull();
  sectionOf('All words');
});
