import { render, screen } from '@testing-library/react';
import { NextIntlClientProvider } from 'next-intl';
import { expect, it } from 'vitest';
import { useCatalogWords } from './use-catalog-words';

const FAMILIES = [
  { family: 'discours.author-id', title: 'Authors', purpose: 'Views of a publication.', keys: 2 },
  { family: 'shop.order', title: 'Orders of the shop', purpose: 'Ours.', keys: null },
];

const Shown = () => <code>{JSON.stringify(useCatalogWords({ items: FAMILIES }))}</code>;

const shownIn = async (locale: string, expected: string) => {
  render(
    <NextIntlClientProvider locale={locale} messages={{}}>
      <Shown />
    </NextIntlClientProvider>,
  );
  expect(JSON.parse((await screen.findByText(new RegExp(expected))).textContent)).toEqual({
    items: [
      { ...FAMILIES[0], title: expect.any(String), purpose: expect.any(String) },
      // A team's own catalog stays as it was written.
      FAMILIES[1],
    ],
  });
};

it('has the titles of known applications in the language of the reader', async () => {
  await shownIn('ru', 'Авторы.*Просмотры публикации');
});

it('is in English as the catalog has it', async () => {
  await shownIn('en', 'Authors.*Views of a publication');
});
