const at = (now: Date, daysAhead: number, hour: number): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + daysAhead, hour);

const MONDAY = 1;

interface QuickTime {
  id: 'inAnHour' | 'thisEvening' | 'tomorrow' | 'monday';
  at: Date;
}

/** Shortcuts for common times in the user's zone: future ones only, without duplicates. */
export const quickTimes = (now: Date): QuickTime[] => {
  const inAnHour = new Date(now);
  // Rounded down to the minute.
  inAnHour.setHours(now.getHours() + 1, now.getMinutes(), 0, 0);
  const untilMonday = (MONDAY - now.getDay() + 7) % 7 || 7;
  const times: QuickTime[] = [
    { id: 'inAnHour', at: inAnHour },
    { id: 'thisEvening', at: at(now, 0, 18) },
    { id: 'tomorrow', at: at(now, 1, 9) },
    { id: 'monday', at: at(now, untilMonday, 9) },
  ];
  return times.filter((time) => time.at > now && !(time.id === 'monday' && untilMonday === 1));
};
