import 'server-only';
import { setImmediate as yieldToLoop } from 'node:timers/promises';
import type { Limits } from './limits';
import type { Pass } from './pass';
import { WINDOW_STATES, type WindowState } from './schema';
import { isRefused, type Limit, stateOf } from './window';

/**
 * A pass under the limits of a moment. Its rows are the pass's windows in the order in which they were found; figures
 * per row are in typed arrays, so that a million of them stay under 150 MB.
 */
export interface View {
  pass: Pass;
  /** Rows it has; a pass under way finds more. */
  size: number;
  limits: Float64Array;
  periods: Float64Array;
  states: Uint8Array;
  counts: Record<WindowState, number>;
}

/** Rows worked on before other work gets its turn: a few milliseconds. */
export const SLICE = 8192;

export const stateAt = (view: View, row: number): WindowState => WINDOW_STATES[view.states[row]!]!;

export const limitAt = ({ limits, periods }: View, row: number): Limit => ({
  limit: limits[row]!,
  periodSeconds: periods[row]!,
});

/** `now` in unix seconds. */
const viewOf = async (pass: Pass, limits: Limits, now: number): Promise<View> => {
  const { size } = pass.windows;
  const view: View = {
    pass,
    size,
    limits: new Float64Array(size),
    periods: new Float64Array(size),
    states: new Uint8Array(size),
    counts: Object.fromEntries(WINDOW_STATES.map((state) => [state, 0])) as View['counts'],
  };
  let row = 0;
  for (const [field, window] of pass.windows) {
    if (row === size) break;
    const limit = limits.resolve(field);
    const state = stateOf(window, limit, now);
    view.limits[row] = limit.limit;
    view.periods[row] = limit.periodSeconds;
    view.states[row] = WINDOW_STATES.indexOf(state);
    view.counts[state] += 1;
    row += 1;
    if (row % SLICE === 0) await yieldToLoop();
  }
  return view;
};

const made = new WeakMap<Pass, { version: string; view: Promise<View> }>();

/** The view of a finished pass, made once for all who look at it under the same limits. */
export const sharedView = (pass: Pass, limits: Limits, now: number): Promise<View> => {
  if (pass.finishedAt === null) return viewOf(pass, limits, now);
  const known = made.get(pass);
  if (known?.version === limits.version) return known.view;
  const view = viewOf(pass, limits, now);
  made.set(pass, { version: limits.version, view });
  return view;
};

export interface Comparison {
  projects: number;
  refused: number;
  refusedAtPresent: number;
  newlyRefused: number;
  newlyAccepted: number;
}

/** How many a limit for all would refuse, beside how many the limits in force do. */
export const compareWith = async (view: View, chosen: Limit, now: number): Promise<Comparison> => {
  const found = { projects: view.size, refused: 0, refusedAtPresent: 0, newlyRefused: 0, newlyAccepted: 0 };
  let row = 0;
  for (const window of view.pass.windows.values()) {
    if (row === view.size) break;
    const before = isRefused(stateOf(window, limitAt(view, row), now));
    const after = isRefused(stateOf(window, chosen, now));
    if (before) found.refusedAtPresent += 1;
    if (after) found.refused += 1;
    if (after && !before) found.newlyRefused += 1;
    if (before && !after) found.newlyAccepted += 1;
    row += 1;
    if (row % SLICE === 0) await yieldToLoop();
  }
  return found;
};
