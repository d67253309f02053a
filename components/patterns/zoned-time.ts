/** Dates and times in the format of `<input type="datetime-local">`, in a named time zone. Pure. */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const TEXT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?$/;

const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (zone: string): Intl.DateTimeFormat => {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  formats.set(zone, made);
  return made;
};

/** How far the zone's clocks are ahead of UTC at `at` (epoch ms), in ms. */
const offsetAt = (at: number, zone: string): number => {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
};

/** "UTC", "UTC+1", "UTC−3:30": the zone's offset at `at` (epoch ms). */
export const offsetText = (at: number, zone: string): string => {
  const minutes = Math.round(offsetAt(at, zone) / MINUTE_MS);
  if (minutes === 0) return 'UTC';
  const hours = Math.floor(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return `UTC${minutes < 0 ? '−' : '+'}${hours}${rest > 0 ? `:${String(rest).padStart(2, '0')}` : ''}`;
};

/** `at` (epoch ms) in the input's format in `zone`, to the minute; '' for none. */
export const inputText = (at: number | null, zone: string): string =>
  at === null ? '' : new Date(at + offsetAt(at, zone)).toISOString().slice(0, 16);

/** When the day of `at` began in `zone`, or the one that was `before` days earlier; epoch ms. */
export const dayStart = (at: number, zone: string, before = 0): number => {
  const noon = Date.parse(`${inputText(at, zone).slice(0, 10)}T12:00:00Z`);
  return readInput(inputText(noon - before * DAY_MS, 'UTC').replace(/T.*/, 'T00:00'), zone).at ?? at;
};

interface Reading {
  /** Epoch ms; null while the text is not a time. */
  at: number | null;
  /**
   * `skipped`: the clocks go forward over this time, and `at` is as long after the change as the text indicates.
   * `repeated`: the clocks go back and show it twice, and `at` is the first.
   */
  doubt: 'skipped' | 'repeated' | null;
}

const NO_TIME: Reading = { at: null, doubt: null };

/** The meaning of the input's text in `zone`. */
export const readInput = (text: string, zone: string): Reading => {
  const [, year, month, day, hour, minute, second = '0'] = TEXT.exec(text) ?? [];
  if (year === undefined) return NO_TIME;
  const asUtc = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  // 31 February is not a time.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(0, 16) !== text.slice(0, 16)) return NO_TIME;
  const [before, after] = [offsetAt(asUtc - DAY_MS, zone), offsetAt(asUtc + DAY_MS, zone)];
  const candidates = [...new Set([asUtc - before, asUtc - after])].filter(
    (at) => offsetAt(at, zone) === asUtc - at,
  );
  if (candidates.length === 0) return { at: asUtc - before, doubt: 'skipped' };
  return { at: Math.min(...candidates), doubt: candidates.length > 1 ? 'repeated' : null };
};
