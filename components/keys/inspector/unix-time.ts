/** 2001 to 2100, in seconds. */
const EARLIEST = 1_000_000_000;
const LATEST = 4_102_444_800;

/** The ISO time of an integer: Unix seconds or milliseconds of this century; null for others. */
export const timeOf = (digits: string): string | null => {
  if (!/^\d{10,13}$/.test(digits)) return null;
  const number = Number(digits);
  const seconds = digits.length === 10 ? number : number / 1000;
  return (digits.length === 10 || digits.length === 13) && seconds >= EARLIEST && seconds <= LATEST
    ? new Date(seconds * 1000).toISOString()
    : null;
};

/** The ISO time in a stream's entry id: `1700000000000-0`. */
export const entryTime = (entryId: string): string | null => timeOf(entryId.split('-')[0] ?? '');
