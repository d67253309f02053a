import { render, screen } from '@testing-library/react/pure';
import { NextIntlClientProvider } from 'next-intl';
import { expect, it } from 'vitest';
import type { Locale } from '@/lib/locales';
import { loadTexts } from '@/messages/load';
import { useServerText } from './use-server-text';

const ENGLISH = '2 jobs were interrupted';

const Shown = ({ code }: { code: string }) => <p>{useServerText()(code, ENGLISH, { count: 2 })}</p>;

const show = async (locale: Locale, code: string): Promise<string> => {
  render(
    <NextIntlClientProvider locale={locale} messages={await loadTexts(locale)} timeZone="UTC">
      <Shown code={code} />
    </NextIntlClientProvider>,
  );
  return screen.getByRole('paragraph').textContent;
};

it.each([
  ['en', 'attention.interrupted-jobs.text', ENGLISH],
  ['ru', 'attention.interrupted-jobs.text', 'Прерваны 2 задания'],
  ['zh', 'attention.of-another-version.text', ENGLISH],
] as const)('shows in %s for %s: %s', async (locale, code, text) => {
  expect(await show(locale, code)).toBe(text);
});
