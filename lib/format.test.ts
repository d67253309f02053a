import { describe, expect, it } from 'vitest';
import * as f from './format';

const NOW = Date.UTC(2026, 4, 4, 12, 0, 0);
const plain = (text: string) => text.replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ');

describe('figures', () => {
  it('says that a figure is unknown and never that it is 0', () => {
    const all = [
      f.formatCount,
      f.formatRatio,
      f.formatBytes,
      f.formatBytesPerSecond,
      f.formatDuration,
      f.formatMs,
      f.formatPerSecond,
    ];
    for (const format of all) {
      expect(format(null)).toBe('—');
      expect(format(undefined)).toBe('—');
      expect(format(Number.NaN)).toBe('—');
    }
    expect(f.formatRelative(null, NOW)).toBe('—');
    expect(f.formatAbsolute(null)).toBe('—');
    expect(f.formatCount(0)).toBe('0');
  });

  it('writes numbers in the locale', () => {
    expect(f.formatCount(8214)).toBe('8,214');
    expect(f.formatCount('9007199254740993')).toBe('9,007,199,254,740,993');
    expect(plain(f.formatCount(48_120, 'ru'))).toBe('48 120');
    expect(f.formatPerSecond(3.44)).toBe('3.4/s');
    expect(f.formatPerSecond(8214.4)).toBe('8,214/s');
    expect(f.formatPerSecond(3.44, 'ru')).toBe('3,4/с');
    expect(plain(f.formatBytesPerSecond(1536, 'zh'))).toBe('1.5 KiB/秒');
  });

  it('does not round a rate up to all or down to nothing', () => {
    expect(f.formatRatio(0.942)).toBe('94.2%');
    expect(f.formatRatio(0.99999)).toBe('99.9%');
    expect(f.formatRatio(0.00001)).toBe('0.1%');
    expect(f.formatRatio(1)).toBe('100.0%');
    expect(f.formatRatio(0)).toBe('0.0%');
  });

  it('writes differences with their sign', () => {
    expect(f.formatPoints(0.006)).toBe('+0.6 pt');
    expect(plain(f.formatPoints(-0.006, 'ru'))).toBe('−0,6 п. п.');
    expect(f.formatChange(-0.03)).toBe('−3%');
    expect(f.formatChange(0)).toBe('0%');
  });

  it('writes sizes in binary units', () => {
    const sizes: [number, string][] = [
      [0, '0 B'],
      [1023, '1,023 B'],
      [1024, '1 KiB'],
      [1536, '1.5 KiB'],
      [212 * 2 ** 20, '212 MiB'],
      [1.9 * 2 ** 30, '1.9 GiB'],
      [2 ** 20 - 1, '1 MiB'],
    ];
    for (const [bytes, text] of sizes) expect(plain(f.formatBytes(bytes))).toBe(text);
  });
});

describe('durations', () => {
  it('shows the two largest units', () => {
    const durations: [number, string][] = [
      [0, '0 s'],
      [40, '40 s'],
      [300, '5 min'],
      [330, '5 min 30 s'],
      [86_400 * 30, '30 d'],
      [86_400 * 30 - 1, '29 d 23 h'],
      [86_400 + 7200 + 59, '1 d 2 h'],
    ];
    for (const [seconds, text] of durations) expect(plain(f.formatDuration(seconds))).toBe(text);
  });

  it('reads naturally in the other languages', () => {
    expect(plain(f.formatDuration(86_399 * 2, 'ru'))).toBe('1 д 23 ч');
    expect(f.formatDuration(300, 'zh')).toMatch(/^5\s?分钟$/);
  });

  it('keeps a place for small latencies', () => {
    expect(plain(f.formatMs(0.42))).toBe('0.4 ms');
    expect(plain(f.formatMs(42.4))).toBe('42 ms');
    expect(plain(f.formatMs(1250))).toBe('1.3 s');
    expect(plain(f.formatMicros(390.4, 'ru'))).toBe('390,4 мкс');
    expect(plain(f.formatMicros(12_000, 'zh'))).toBe('12 毫秒');
    // The unit stays on the line of its number.
    expect(f.formatMs(4.5, 'ru')).toBe('4,5\u00a0мс');
  });
});

describe('times', () => {
  it('is relative to now, in the past and in the future', () => {
    const ago = (seconds: number) => plain(f.formatRelative(NOW - seconds * 1000, NOW));
    expect(ago(0)).toBe('now');
    expect(ago(9)).toBe('now');
    expect(ago(12)).toBe('12 s ago');
    expect(ago(125)).toBe('2 min ago');
    expect(ago(3700)).toBe('1 h ago');
    expect(ago(90_000)).toBe('1 d ago');
    expect(ago(-46 * 3600)).toBe('in 1 d 22 h');
    expect(ago(-47.9 * 3600)).toBe('in 1 d 23 h');
    expect(ago(-119 * 60)).toBe('in 1 h 59 min');
    expect(ago(-119)).toBe('in 1 min');
    expect(plain(f.formatRelative(NOW + 46 * 3_600_000, NOW, 'ru'))).toBe('через 1 д 22 ч');
    expect(plain(f.formatRelative(NOW + 46 * 3_600_000, NOW, 'zh'))).toBe('1 天 22 小时后');
    expect(plain(f.formatRelative(NOW - 16_000, NOW, 'ru'))).toBe('16 с назад');
    expect(plain(f.formatRelative(NOW - 17 * 60_000, NOW, 'zh'))).toBe('17 分钟前');
    expect(f.formatRelative(NOW - 3000, NOW, 'zh')).toBe('刚刚');
    expect(ago(6 * 86_400)).toBe('6 d ago');
    expect(ago(-7200)).toBe('in 2 h');
    expect(plain(f.formatRelative(NOW - 125_000, NOW, 'ru'))).toBe('2 мин назад');
  });

  it('has the zone beside an absolute time', () => {
    expect(f.formatAbsolute(NOW, 'zh', { timeZone: 'UTC' })).toBe('2026年5月4日 12:00:00 UTC');
    expect(f.formatAbsolute(NOW, 'ru', { timeZone: 'UTC', hours: '12' })).toMatch(/^4 мая 2026.* UTC$/);
    expect(f.formatAbsolute(NOW, 'en', { timeZone: 'UTC' })).toBe('May 4, 2026, 12:00:00 UTC');
  });

  it('chooses what a tick says by the span', () => {
    expect(f.formatTick(NOW, 3_600_000, 'en', { timeZone: 'UTC' })).toBe('12:00');
    expect(f.formatTick(NOW, 3_600_000, 'en', { timeZone: 'Asia/Tokyo', hours: '12' })).toBe('09:00 PM');
    expect(f.formatTick(NOW, 7 * 86_400_000, 'en', { timeZone: 'UTC' })).toBe('May 4');
  });

  it('reads wire times', () => {
    expect(f.epochOf('2026-05-04T12:00:00.000Z')).toBe(NOW);
    expect(f.epochOf(null)).toBeNull();
    expect(f.epochOf('soon')).toBeNull();
  });
});
