import 'server-only';
import { setImmediate as yieldToLoop } from 'node:timers/promises';
import type { Limits } from './limits';
import type { Pass } from './pass';
import { type WINDOW_ORDERS, WINDOW_STATES, type WindowState } from './schema';
import { isRefused, type Limit, stateOf, usage, type Window } from './window';

export type WindowOrder = (typeof WINDOW_ORDERS)[number];

/**
 * A pass with the limits applied. Rows are the pass's windows in the order they were found. Figures per row are in typed
 * arrays, so that a million rows take less than 150 MB.
 */
export interface View {
  pass: Pass;
  /** Field per row, one character per byte. A running pass still adds more. */
  fields: readonly string[];
  limits: Float64Array;
  periods: Float64Array;
  states: Uint8Array;
  /** The figure that rows are ordered by, descending. */
  ranks: Record<WindowOrder, Float32Array>;
  counts: Record<WindowState, number>;
}

/** Rows computed before the event loop may do other work: a few milliseconds. */
const SLICE = 8192;

export const stateAt = (view: View, row: number): WindowState => WINDOW_STATES[view.states[row]!]!;

/** Refused projects first, then by use, then expired windows and projects without a limit. */
const rankByUse = (window: Window | null, limit: Limit, state: WindowState): number => {
  switch (state) {
    case 'unreadable':
      return 4;
    case 'limited':
      return 3;
    case 'expired':
      return 0.5;
    case 'unlimited':
      return 0.25;
    default:
      return 1 + (usage(window, limit, state).use ?? 0);
  }
};

/** `now` in unix seconds. */
const viewOf = async (pass: Pass, limits: Limits, now: number): Promise<View> => {
  const fields = [...pass.windows.keys()];
  const view: View = {
    pass,
    fields,
    limits: new Float64Array(fields.length),
    periods: new Float64Array(fields.length),
    states: new Uint8Array(fields.length),
    ranks: { use: new Float32Array(fields.length), count: new Float32Array(fields.length) },
    counts: Object.fromEntries(WINDOW_STATES.map((state) => [state, 0])) as View['counts'],
  };
  let row = 0;
  for (const window of pass.windows.values()) {
    if (row === fields.length) break;
    const limit = limits.resolve(fields[row]!);
    const state = stateOf(window, limit, now);
    view.limits[row] = limit.limit;
    view.periods[row] = limit.periodSeconds;
    view.states[row] = WINDOW_STATES.indexOf(state);
    view.ranks.use[row] = rankByUse(window, limit, state);
    view.ranks.count[row] = window?.count ?? 0;
    view.counts[state] += 1;
    row += 1;
    if (row % SLICE === 0) await yieldToLoop();
  }
  return view;
};

const views = new WeakMap<Pass, { version: string; view: Promise<View> }>();

/** The view of a finished pass, computed once per version of the limits. */
export const sharedView = (pass: Pass, limits: Limits, now: number): Promise<View> => {
  if (pass.finishedAt === null) return viewOf(pass, limits, now);
  const known = views.get(pass);
  if (known?.version === limits.version) return known.view;
  const view = viewOf(pass, limits, now);
  views.set(pass, { version: limits.version, view });
  return view;
};

export interface Comparison {
  projects: number;
  refused: number;
  refusedAtPresent: number;
  newlyRefused: number;
  newlyAccepted: number;
}

/** How many projects one limit for all would refuse, compared with the current limits. */
export const compareWith = async (view: View, chosen: Limit, now: number): Promise<Comparison> => {
  const found = {
    projects: view.fields.length,
    refused: 0,
    refusedAtPresent: 0,
    newlyRefused: 0,
    newlyAccepted: 0,
  };
  let row = 0;
  for (const window of view.pass.windows.values()) {
    if (row === view.fields.length) break;
    const present = { limit: view.limits[row]!, periodSeconds: view.periods[row]! };
    const before = isRefused(stateOf(window, present, now));
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
