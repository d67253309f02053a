import 'server-only';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Limits } from './limits';
import type { Pass } from './pass';
import { type WINDOW_ORDERS, WINDOW_STATES, type WindowState } from './schema';
import { isRefused, type Limit, stateOf, usage, type Window } from './window';

export type WindowOrder = (typeof WINDOW_ORDERS)[number];

/** A pass under the limits of a moment: the state of every row, and their counts. */
export interface View {
  pass: Pass;
  /** Rows it has; the sample of a pass under way grows on. */
  size: number;
  limits: Float64Array;
  periods: Float64Array;
  states: Uint8Array;
  counts: Record<WindowState, number>;
  /** Rows by use or count, descending; rows of the same figure by the hash of their field. */
  order(by: WindowOrder): Promise<Order>;
}

export interface Order {
  rows: Uint32Array;
  /** Of a row: what it is ordered by, ascending. */
  keys: Uint32Array;
}

/** Rows worked on between two looks at the event loop: a few milliseconds of work. */
const SLICE = 8192;
/** Of rows that are only put in their place. */
const SORTED_SLICE = 16 * SLICE;

const STATE_CODE = Object.fromEntries(WINDOW_STATES.map((state, code) => [state, code])) as Record<
  WindowState,
  number
>;

export const stateAt = (view: View, row: number): WindowState => WINDOW_STATES[view.states[row]!]!;

const bits = new DataView(new ArrayBuffer(4));

/** A number ≥ 0 as 32 bits that ascend while it descends. */
const descending = (value: number): number => {
  bits.setFloat32(0, value);
  return ~bits.getUint32(0) >>> 0;
};

/** What refuses comes first, then by use; what is over, and what nothing limits, comes last. */
const keyByUse = (window: Window | null, limit: Limit, state: WindowState): number => {
  switch (state) {
    case 'unreadable':
      return descending(4);
    case 'limited':
      return descending(3);
    case 'expired':
      return descending(0.5);
    case 'unlimited':
      return descending(0.25);
    default:
      return descending(1 + (usage(window, limit, state).use ?? 0));
  }
};

const DIGIT = 0x10000;

/** One stable pass of a radix sort over 16 of the bits. */
const sortBy = async (rows: Uint32Array, digitOf: (row: number) => number): Promise<Uint32Array> => {
  const places = new Uint32Array(DIGIT);
  for (let i = 0; i < rows.length; i++) places[digitOf(rows[i]!)]! += 1;
  await breathe();
  let place = 0;
  for (let digit = 0; digit < DIGIT; digit++) {
    const count = places[digit]!;
    places[digit] = place;
    place += count;
  }
  const sorted = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    sorted[places[digitOf(row)]!++] = row;
    if (i % SORTED_SLICE === SORTED_SLICE - 1) await breathe();
  }
  return sorted;
};

const orderOf = async (view: View, by: WindowOrder): Promise<Order> => {
  const { sample } = view.pass;
  const keys = new Uint32Array(view.size);
  for (let row = 0; row < view.size; row++) {
    const window = sample.window(row);
    const limit = { limit: view.limits[row]!, periodSeconds: view.periods[row]! };
    keys[row] =
      by === 'use' ? keyByUse(window, limit, stateAt(view, row)) : descending(window ? window.count : 0);
    if (row % SLICE === SLICE - 1) await breathe();
  }
  let rows: Uint32Array = new Uint32Array(view.size);
  for (let row = 0; row < view.size; row++) rows[row] = row;
  for (const digitOf of [
    (row: number) => sample.hash(row) & 0xffff,
    (row: number) => sample.hash(row) >>> 16,
    (row: number) => keys[row]! & 0xffff,
    (row: number) => keys[row]! >>> 16,
  ]) {
    rows = await sortBy(rows, digitOf);
    await breathe();
  }
  return { rows, keys };
};

/** `now` in unix seconds. Lets the event loop breathe: a million rows take a while. */
const viewOf = async (pass: Pass, limits: Limits, now: number): Promise<View> => {
  const { sample } = pass;
  const size = sample.size;
  const orders = new Map<WindowOrder, Promise<Order>>();
  const view: View = {
    pass,
    size,
    limits: new Float64Array(size),
    periods: new Float64Array(size),
    states: new Uint8Array(size),
    counts: Object.fromEntries(WINDOW_STATES.map((state) => [state, 0])) as View['counts'],
    order: (by) => {
      const known = orders.get(by) ?? orderOf(view, by);
      orders.set(by, known);
      return known;
    },
  };
  for (let row = 0; row < size; row++) {
    const limit = limits.resolve(sample.projectId(row));
    const state = stateOf(sample.window(row), limit, now);
    view.limits[row] = limit.limit;
    view.periods[row] = limit.periodSeconds;
    view.states[row] = STATE_CODE[state];
    view.counts[state] += 1;
    if (row % SLICE === SLICE - 1) await breathe();
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
  const { sample } = view.pass;
  const found: Comparison = {
    projects: view.size,
    refused: 0,
    refusedAtPresent: 0,
    newlyRefused: 0,
    newlyAccepted: 0,
  };
  for (let row = 0; row < view.size; row++) {
    const window = sample.window(row);
    const present = { limit: view.limits[row]!, periodSeconds: view.periods[row]! };
    const before = isRefused(stateOf(window, present, now));
    const after = isRefused(stateOf(window, chosen, now));
    if (before) found.refusedAtPresent += 1;
    if (after) found.refused += 1;
    if (after && !before) found.newlyRefused += 1;
    if (before && !after) found.newlyAccepted += 1;
    if (row % SLICE === SLICE - 1) await breathe();
  }
  return found;
};
