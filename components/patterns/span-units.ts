export const UNITS = ['seconds', 'minutes', 'hours', 'days'] as const;
export type Unit = (typeof UNITS)[number];

export const SECONDS: Record<Unit, number> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };

/** The longest TTL that the interface accepts: a year. */
export const MAX_SECONDS = 31_536_000;

/** A duration in the largest unit in which it is an integer. */
export const inUnits = (seconds: number): { value: number; unit: Unit } => {
  const unit =
    UNITS.toReversed().find((candidate) => seconds > 0 && seconds % SECONDS[candidate] === 0) ?? 'seconds';
  return { value: seconds / SECONDS[unit], unit };
};

/** An integer of seconds from the address; the fallback where it is not one or is out of bounds. */
export const secondsOf = (text: string, least: number, fallback: number): number => {
  const value = /^\d{1,8}$/.test(text) ? Number(text) : fallback;
  return value >= least && value <= MAX_SECONDS ? value : fallback;
};
