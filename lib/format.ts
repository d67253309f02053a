/** Figures, sizes and times for display. Isomorphic and pure; `locale` is a BCP 47 tag. Unknown is "—". */

export const UNKNOWN = '—';

type Figure = number | null | undefined;

const known = (value: Figure): value is number => typeof value === 'number' && Number.isFinite(value);

const formats = new Map<string, Intl.NumberFormat>();

const numberFormat = (locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat => {
  const id = locale + JSON.stringify(options);
  const made = formats.get(id) ?? new Intl.NumberFormat(locale, options);
  formats.set(id, made);
  return made;
};

/** A whole number with the locale's separators. Text: digits that a number cannot keep. */
export const formatCount = (value: Figure | string, locale = 'en'): string =>
  typeof value === 'string' || known(value)
    ? numberFormat(locale, { maximumFractionDigits: 0 }).format(value as number | `${number}`)
    : UNKNOWN;

/** A number with its noun, in English: "1 key", "1,200 keys". */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** A figure with at most `digits` decimals: latencies, factors. As text for digits that a number cannot hold. */
export const formatNumber = (value: Figure | `${number}`, locale = 'en', digits = 1): string =>
  typeof value === 'string' || known(value)
    ? numberFormat(locale, { maximumFractionDigits: digits }).format(value)
    : UNKNOWN;

/** A rate of 0–1 as a percentage with one decimal; never rounds to 0 % or 100 % unless it is exact. */
export const formatRatio = (value: Figure, locale = 'en', digits = 1): string => {
  if (!known(value)) return UNKNOWN;
  const step = 10 ** -(digits + 2);
  const shown = value > 0 && value < 1 ? Math.min(1 - step, Math.max(step, value)) : value;
  const options = { style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
  return numberFormat(locale, options).format(shown);
};

// The locale's hyphen is shorter than a digit, so figures get a real minus sign.
const signed = (text: string): string => text.replace('-', '\u2212');

/** What Intl has no short name for. */
const POINTS: Record<string, string> = { ru: '\u00a0п.\u00a0п.', zh: '\u00a0个百分点' };
const PER_SECOND: Record<string, string> = { ru: '/с', zh: '/秒' };

const perSecond = (text: string, locale: string): string => text + (PER_SECOND[locale] ?? '/s');

/** The difference of two rates in percentage points: "+0.6 pt". */
export const formatPoints = (difference: Figure, locale = 'en'): string => {
  const options = { signDisplay: 'exceptZero', maximumFractionDigits: 1 } as const;
  return known(difference)
    ? signed(numberFormat(locale, options).format(difference * 100)) + (POINTS[locale] ?? ' pt')
    : UNKNOWN;
};

/** A relative change as a signed percentage: "−3%". */
export const formatChange = (ratio: Figure, locale = 'en'): string => {
  const options = { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 } as const;
  return known(ratio) ? signed(numberFormat(locale, options).format(ratio)) : UNKNOWN;
};

/** Events per second: "8,214/s", with one decimal below ten. */
export const formatPerSecond = (value: Figure, locale = 'en'): string =>
  known(value) ? perSecond(formatNumber(value, locale, Math.abs(value) < 10 ? 1 : 0), locale) : UNKNOWN;

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Bytes in binary units: "1.9 GiB". */
export const formatBytes = (bytes: Figure, locale = 'en'): string => {
  if (!known(bytes)) return UNKNOWN;
  let size = Math.abs(bytes);
  let unit = 0;
  // 1023.95 would round to "1,024", so it takes the next unit.
  while (size >= 1023.95 && unit < SIZES.length - 1) {
    size /= 1024;
    unit++;
  }
  const digits = unit === 0 || size >= 100 ? 0 : 1;
  return `${formatNumber(bytes < 0 ? -size : size, locale, digits)}\u00a0${SIZES[unit]}`;
};

/** Bytes per second: "1.2 MiB/s". */
export const formatBytesPerSecond = (value: Figure, locale = 'en'): string =>
  known(value) ? perSecond(formatBytes(value, locale), locale) : UNKNOWN;

// "29 d" reads better than "29d", and "2 мин назад" without its dot. Chinese has a space between digits and words, too
// (docs/words.md).
const spaced = (parts: { type: string; value: string }[]): string =>
  parts
    .map(({ type, value }, i) => {
      if (type !== 'unit' && type !== 'literal') return value;
      const afterNumber = i > 0 && ['integer', 'fraction'].includes(parts[i - 1]!.type);
      const next = parts[i + 1]?.value ?? '';
      const isApart =
        /^[A-Za-z\p{Script=Han}]/u.test(value) ||
        /^ \p{Script=Cyrillic}/u.test(value === ' ' ? value + next : value);
      return (afterNumber && isApart ? `\u00a0${value.trimStart()}` : value).replace(/(?<=\p{L})\./gu, '');
    })
    .join('');

type TimeUnit = 'day' | 'hour' | 'minute' | 'second' | 'millisecond';

const inUnit = (value: number, unit: TimeUnit, locale: string, digits = 0): string => {
  const unitDisplay = unit === 'minute' || unit === 'millisecond' ? 'short' : 'narrow';
  const options = { style: 'unit', unit, unitDisplay, maximumFractionDigits: digits } as const;
  return spaced(numberFormat(locale, options).formatToParts(value));
};

const SPANS: [TimeUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** Seconds as the two largest units: "29 d 23 h", "5 min", "40 s"; the second is left out when it is 0. */
export const formatDuration = (seconds: Figure, locale = 'en'): string => {
  if (!known(seconds)) return UNKNOWN;
  const whole = Math.max(0, Math.round(seconds));
  const first = SPANS.findIndex(([, span]) => whole >= span);
  if (first === -1) return inUnit(0, 'second', locale);
  const [unit, span] = SPANS[first]!;
  const rest = SPANS[first + 1];
  const lesser = rest ? Math.floor((whole % span) / rest[1]) : 0;
  const text = inUnit(Math.floor(whole / span), unit, locale);
  return rest && lesser > 0 ? `${text} ${inUnit(lesser, rest[0], locale)}` : text;
};

/** Milliseconds of a measured time: "0.4 ms", "1.2 s". */
export const formatMs = (ms: Figure, locale = 'en'): string => {
  if (!known(ms)) return UNKNOWN;
  return ms < 1000
    ? inUnit(ms, 'millisecond', locale, ms < 10 ? 1 : 0)
    : inUnit(ms / 1000, 'second', locale, 1);
};

/** "16 с назад", as durations have it. */
const inShort = (text: string, locale: string): string =>
  locale === 'ru' ? text.replace('сек', 'с').replace('дн', 'д') : text;

const MICROS: Record<string, string> = { ru: 'мкс', zh: '微秒' };

/** Microseconds of a measured time: "850 µs", "12 ms". */
export const formatMicros = (micros: Figure, locale = 'en'): string =>
  known(micros) && micros < 1000
    ? `${formatNumber(micros, locale)}\u00a0${MICROS[locale] ?? 'µs'}`
    : formatMs(known(micros) ? micros / 1000 : null, locale);

/**
 * An epoch time relative to `now`: "now", "2 min ago", "1 d ago", "in 1 d 22 h". Future times have two units, because
 * people plan by them: the day after tomorrow is not "in 1 d".
 */
export const formatRelative = (at: Figure, now: number, locale = 'en'): string => {
  if (!known(at)) return UNKNOWN;
  const seconds = (at - now) / 1000;
  const [unit, span] =
    Math.abs(seconds) < 10 ? (['second', Number.POSITIVE_INFINITY] as const) : spanOf(seconds);
  // Narrow English shortens minutes to "m", and narrow Russian writes past times with a minus sign.
  const style = locale.startsWith('en') && unit !== 'minute' ? 'narrow' : 'short';
  const numeric = unit === 'second' ? 'auto' : 'always';
  const format = new Intl.RelativeTimeFormat(locale, { numeric, style });
  const parts = format.formatToParts(Math.trunc(seconds / span), unit);
  if (unit === 'second' && span === Number.POSITIVE_INFINITY && locale === 'zh' && seconds <= 0)
    return '刚刚';
  if (seconds < 3600) return inShort(spaced(parts), locale);
  const duration = formatDuration(seconds, locale);
  // "in 3 d 2 h", "через 3 д 2 ч"; Chinese says "after" behind the time.
  return parts[0]!.type === 'literal' ? parts[0]!.value + duration : `${duration}后`;
};

const spanOf = (seconds: number) =>
  SPANS.find(([, span]) => Math.abs(seconds) >= span)! as readonly [Exclude<TimeUnit, 'millisecond'>, number];

/** How a reader wants times: an IANA zone, otherwise that of this process or browser, and a clock of 24 or 12 hours. */
export interface Clock {
  timeZone?: string | null | undefined;
  hours?: '24' | '12';
}

/** The same, as `Intl.DateTimeFormat` takes it. */
export const clockOptions = ({ timeZone, hours = '24' }: Clock): Intl.DateTimeFormatOptions => ({
  hourCycle: hours === '12' ? 'h12' : 'h23',
  ...(timeZone && { timeZone }),
});

/** An epoch time in the reader's time zone, to the second, with the zone's name. */
export const formatAbsolute = (at: Figure, locale = 'en', clock: Clock = {}): string => {
  if (!known(at)) return UNKNOWN;
  const format = new Intl.DateTimeFormat(locale, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
    ...clockOptions(clock),
  });
  const parts = format.formatToParts(at);
  const isZone = ({ type }: { type: string }) => type === 'timeZoneName';
  // The zone at the end: Chinese has it between the date and the time.
  const time = parts.filter((part) => !isZone(part)).map(({ value }) => value);
  return `${time.join('').replace(/\s{2}/, ' ').trim()} ${parts.find(isZone)?.value ?? ''}`;
};

/** Epoch milliseconds of an ISO time; null when it is missing or invalid. */
export const epochOf = (time: string | null | undefined): number | null => {
  const ms = time ? Date.parse(time) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
};

/** The tick of a time axis that spans `spanMs`: time of day, or the date for spans of days. */
export const formatTick = (at: number, spanMs: number, locale = 'en', clock: Clock = {}): string => {
  const day = 86_400_000;
  const parts: Intl.DateTimeFormatOptions =
    spanMs > 2 * day
      ? { month: 'short', day: 'numeric' }
      : {
          hour: '2-digit',
          minute: '2-digit',
          ...(spanMs <= 300_000 ? { second: '2-digit' } : {}),
        };
  return new Intl.DateTimeFormat(locale, { ...parts, ...clockOptions(clock) }).format(at);
};

/** A text with formatted figures, whose unbreakable spaces would be shown as escapes. */
export const withPlainSpaces = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ');
