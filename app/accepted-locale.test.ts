import { expect, it } from 'vitest';
import { localeFor } from './accepted-locale';

it.each([
  [null, 'en'],
  ['', 'en'],
  ['ru-RU,ru;q=0.9,en-US;q=0.8', 'ru'],
  ['zh-TW,zh;q=0.9,en;q=0.8', 'zh'],
  ['zh-Hans-CN', 'zh'],
  ['de-DE,de;q=0.9,ru;q=0.4,en;q=0.3', 'ru'],
  ['de', 'en'],
  ['*', 'en'],
  ['en;q=0,ru;q=0.1', 'ru'],
  ['ru;q=broken, \u0000, ;;;', 'en'],
  ['x'.repeat(20_000), 'en'],
] as const)('%s → %s', (header, locale) => {
  expect(localeFor(header)).toBe(locale);
});
