export const TABS = ['overview', 'slowlog', 'latency', 'clients', 'commands', 'works'] as const;
export type Tab = (typeof TABS)[number];

/** What the tabs filter by. Each tab uses some, and begins without any. */
export const NO_FILTER = {
  q: '',
  family: '',
  command: '',
  min: '',
  order: '',
  own: '',
  user: '',
  kind: '',
  idle: '',
  type: '',
  sort: '',
  failing: '',
  node: '',
};

/** The page's state in the address. */
export const FIELDS = { tab: 'overview', ...NO_FILTER };
export type Fields = typeof FIELDS;

/** Microseconds. */
export const MIN_DURATIONS = ['10000', '100000', '1000000'] as const;

const textOf = (q: string): { q?: string } => (q.trim() ? { q: q.trim().slice(0, 200) } : {});
const known = <T extends string>(values: readonly T[], text: string): T | undefined =>
  values.find((each) => each === text);

/** The filters of a tab; invalid values in the address are ignored. */
export const slowFilterOf = ({ q, family, command, min, order, own }: Fields) => {
  const minMicros = known(MIN_DURATIONS, min);
  return {
    ...textOf(q),
    ...(family && { family: family.slice(0, 200) }),
    ...(command && { command: command.slice(0, 100) }),
    ...(minMicros && { minMicros: Number(minMicros) }),
    ...(own === 'too' && { own: true }),
    ...(order === 'slowest' && { order: 'slowest' as const }),
  };
};
export type SlowFilter = ReturnType<typeof slowFilterOf>;
