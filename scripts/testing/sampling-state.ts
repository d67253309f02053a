import type { SamplingState } from '@/lib/hit-rates/schema';

const allowed = { allowed: true, why: null };

/** The state of the live sample on a server whose `notify-keyspace-events` is `present`: off, and all permitted. */
export const stateOf = (present: string, change: Partial<SamplingState> = {}): SamplingState => ({
  on: false,
  everySeconds: 60,
  forSeconds: 1,
  dutyCycle: 1 / 60,
  origin: 'default',
  running: false,
  stoppedBecause: null,
  lastWindow: null,
  needsConsent: true,
  consent: null,
  question: null,
  toRestore: [],
  present,
  proposed: `${present}Em`,
  nodes: [{ node: 'main', present, proposed: `${present}Em`, sufficient: false }],
  configGet: allowed,
  configSet: allowed,
  monitor: allowed,
  subscribe: allowed,
  ...change,
});
