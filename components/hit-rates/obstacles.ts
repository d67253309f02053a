import type { SamplingState } from '@/lib/hit-rates/schema';

interface Obstacle {
  what: 'monitor' | 'subscribe' | 'configGet' | 'configSet' | 'readOnly';
  /** The server's error text; null without one. */
  why: string | null;
}

/** Why no window is possible. CONFIG GET reads the flags; CONFIG SET is needed only where they lack E or m. */
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
