import type { SamplingState } from '@/lib/caches/hit-rates/schema';

interface Obstacle {
  what: 'monitor' | 'subscribe' | 'configGet' | 'configSet' | 'readOnly';
  /** The server's words; null where it has none. */
  why: string | null;
}

/** What is in the way of any window. CONFIG is needed to read the flags, and where they lack E or m to merge them in. */
export const obstaclesOf = (state: SamplingState, readOnly: boolean): Obstacle[] => {
  const refused = (what: 'monitor' | 'subscribe' | 'configGet' | 'configSet'): Obstacle[] =>
    state[what].allowed === false ? [{ what, why: state[what].why }] : [];
  const enough = state.nodes.every(({ sufficient }) => sufficient === true);
  const mine: Obstacle[] = readOnly && !enough ? [{ what: 'readOnly', why: null }] : [];
  return [
    ...refused('monitor'),
    ...refused('subscribe'),
    ...refused('configGet'),
    ...(enough ? [] : refused('configSet')),
    ...mine,
  ];
};
