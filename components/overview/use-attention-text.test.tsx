import { render, screen } from '@testing-library/react/pure';
import { NextIntlClientProvider } from 'next-intl';
import { expect, it } from 'vitest';
import type { Locale } from '@/lib/locales';
import type { Attention } from '@/lib/overview/schema';
import { loadTexts } from '@/messages/load';
import { useAttentionText } from './use-attention-text';

const ENGLISH = '2 jobs were interrupted';

const Shown = ({ id }: { id: string }) => {
  const item = { id, text: ENGLISH, detail: null, values: { count: 2 } } as unknown as Attention;
  return <p>{useAttentionText()(item).text}</p>;
};

const show = async (locale: Locale, id: string): Promise<string> => {
  render(
    <NextIntlClientProvider locale={locale} messages={await loadTexts(locale)} timeZone="UTC">
      <Shown id={id} />
    </NextIntlClientProvider>,
  );
  return screen.getByRole('paragraph').textContent;
};

it.each([
  ['en', 'interrupted-jobs', ENGLISH],
  ['ru', 'interrupted-jobs', 'Прерваны 2 задания'],
  ['zh', 'of-another-version', ENGLISH],
] as const)('shows in %s for %s: %s', async (locale, id, text) => {
  expect(await show(locale, id)).toBe(text);
});
