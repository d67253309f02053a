import { render, screen } from '@testing-library/react/pure';
import { NextIntlClientProvider } from 'next-intl';
import { expect, it } from 'vitest';
import { ttlInWords } from '@/lib/keyspace/ttl-in-words';
import type { Locale } from '@/lib/locales';
import { loadTexts } from '@/messages/load';
import { useTtlWords } from './use-ttl-words';

const Shown = ({ text }: { text: string }) => <p>{useTtlWords()(text)}</p>;

const show = async (locale: Locale, text: string): Promise<string> => {
  const { unmount } = render(
    <NextIntlClientProvider locale={locale} messages={await loadTexts(locale)} timeZone="UTC">
      <Shown text={text} />
    </NextIntlClientProvider>,
  );
  const shown = screen.getByRole('paragraph').textContent.replace(/\s/g, ' ');
  unmount();
  return shown;
};

const DAY = 86_400;

it('says the TTL of a catalog in the language of the reader', { tags: ['long'] }, async () => {
  const ttls = [{ seconds: 30 * DAY }, { minSeconds: 300, maxSeconds: 3600 }, 'persistent', 'none'] as const;
  const shown = async (locale: Locale) => {
    const texts: string[] = [];
    for (const ttl of ttls) texts.push(await show(locale, ttlInWords(ttl)));
    return texts;
  };
  expect(await shown('en')).toEqual(['30 d', '5 min – 1 h', 'never expires', 'until invalidated']);
  expect(await shown('ru')).toEqual(['30 д', '5 мин – 1 ч', 'не истекает', 'до инвалидации']);
  expect(await show('zh', 'some other words')).toBe('some other words');
});
