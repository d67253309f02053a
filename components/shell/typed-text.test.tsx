import { fireEvent, screen } from '@testing-library/react/pure';
import { useLayoutEffect, useState } from 'react';
import { expect, it } from 'vitest';
import { SearchField } from '@/components/patterns/filter-bar';
import { renderAt } from '@/scripts/testing/render';
import { keepTypedText, reportTypedText } from './typed-text';

const Page = () => {
  const [name, setName] = useState('');
  const [renders, setRenders] = useState(0);
  useLayoutEffect(() => {
    reportTypedText(document);
    // Any other change on the page renders its fields again.
    setRenders(1);
  }, []);
  return (
    <>
      <SearchField label="Name" value={name} onChange={setName} noSecrets />
      <input aria-label="Kind" value={`${renders}`} readOnly />
      <input aria-label="Note" name="note" />
      <output>{name || 'all'}</output>
    </>
  );
};

const textIn = (name: string): string => screen.getByLabelText<HTMLInputElement>(name).value;
const typing = (fields: Record<string, string>) => (html: HTMLElement) => {
  for (const [label, text] of Object.entries(fields))
    html.querySelector<HTMLInputElement>(`[aria-label=${label}]`)!.value = text;
};

it.each([true, false])('takes over what was typed before hydration, Enter at once: %s', async (isPressed) => {
  const { user } = renderAt('/', <Page />, { early: typing({ Name: 'anna', Note: 'kept' }) });
  screen.getByLabelText('Name').focus();
  if (isPressed) await user.keyboard('{Enter}');
  await expect.poll(() => screen.getByRole('status').textContent).toBe('anna');
  expect(['Name', 'Kind', 'Note'].map(textIn)).toEqual(['anna', '1', 'kept']);
});

it('reports nothing where nothing was typed', () => {
  renderAt('/', <Page />, { early: () => {} });
  expect(screen.getByRole('status').textContent).toBe('all');
  expect(['Name', 'Kind', 'Note'].map(textIn)).toEqual(['', '1', '']);
});

it('keeps what was typed while React renders between the phases of the event', () => {
  const end = keepTypedText();
  renderAt('/', <Page />);
  const field = screen.getByLabelText<HTMLInputElement>('Name');
  // As React sets a controlled field.
  const render = () => {
    field.value = '';
  };
  document.addEventListener('input', render, { capture: true, once: true });
  fireEvent.input(field, { target: { value: 'anna' } });
  expect(field.value).toBe('anna');
  end();
});
