import 'server-only';
import type { End } from './schema';

/** How far a remembered element is from its end now; `gone`: not found; null: none was remembered, or it is ambiguous. */
export type Place = number | 'gone' | null;

/** A queue at one moment. */
export interface Sample {
  /** `none` where the key does not exist: its length is 0. */
  type: string;
  length: number;
  /** For a list: the current indexes of the elements at its ends in the previous sample. */
  places: Record<End, Place>;
  /** For a stream: entries added since its creation. */
  added: number | null;
  /** For a stream: other groups have other waiting entries. */
  groups?: number;
}

/** How elements move, as far as it was observed. */
export interface Direction {
  pushedAt: End | null;
  takenFrom: End | null;
}

/** What was added and taken between two samples. */
export interface Flow {
  pushed: number;
  taken: number;
  /** Both are lower bounds. */
  isAtLeast: boolean;
}

const atLeast = (growth: number, pushed = 0): Flow => {
  const most = Math.max(pushed, growth, 0);
  return { pushed: most, taken: most - growth, isAtLeast: true };
};

/** One end's element is still there, the other's is gone: at least one was taken at that end. */
const passedThrough = (growth: number, pushed: number): Flow => {
  const taken = pushed - growth;
  return taken < 1 ? atLeast(growth, growth + 1) : { pushed, taken, isAtLeast: false };
};

/** What the places tell, if elements are not taken where they are pushed. */
const byPlaces = ({ length, places: { head, tail } }: Sample, growth: number): Flow => {
  const isFound = { head: typeof head === 'number', tail: typeof tail === 'number' };
  if (isFound.head && isFound.tail) {
    const pushed = Number(head) + Number(tail);
    // They changed their order: elements were taken and pushed again.
    if (pushed >= length) return atLeast(growth);
    // Otherwise elements in between were inserted or removed.
    return pushed === growth ? { pushed, taken: 0, isAtLeast: false } : atLeast(growth, pushed);
  }
  if (isFound.tail && head === 'gone') return passedThrough(growth, Number(tail));
  if (isFound.head && tail === 'gone') return passedThrough(growth, Number(head));
  return atLeast(growth, isFound.tail ? Number(tail) : isFound.head ? Number(head) : 0);
};

const OTHER: Record<End, End> = { head: 'tail', tail: 'head' };

/** What a sample of a list adds to what is known. */
export const directionAfter = (known: Direction, { places }: Sample, { taken }: Flow): Direction => {
  const next = { ...known };
  for (const end of ['head', 'tail'] as const) {
    const [here, there] = [places[end], places[OTHER[end]]];
    if (typeof here === 'number' && here > 0 && (there === 0 || there === 'gone')) next.pushedAt = end;
    if (here === 'gone' && typeof there === 'number' && taken > 0) next.takenFrom = end;
  }
  return next;
};

/** In a stack an unknown number came and went above both marks: exact only where the list was seen to be none. */
const listFlow = (now: Sample, growth: number, known: Direction): Flow => {
  const flow = byPlaces(now, growth);
  const { pushedAt, takenFrom } = directionAfter(known, now, flow);
  const isOneWay = pushedAt !== null && takenFrom === OTHER[pushedAt];
  const isPushedBack = takenFrom !== null && Number(now.places[takenFrom]) > 0;
  return { ...flow, isAtLeast: flow.isAtLeast || !isOneWay || isPushedBack };
};

const streamFlow = (before: Sample, now: Sample, growth: number): Flow | null => {
  if (before.groups !== now.groups) return null;
  if (before.added === null || now.added === null) return atLeast(growth);
  const pushed = now.added - before.added;
  // Another stream of the same name.
  if (pushed < 0 || pushed < growth) return null;
  return { pushed, taken: pushed - growth, isAtLeast: false };
};

/** Null where the key is something else now, so that the samples cannot be compared. */
export const flowBetween = (before: Sample, now: Sample, direction: Direction): Flow | null => {
  const growth = now.length - before.length;
  if (before.type !== now.type && before.type !== 'none' && now.type !== 'none') return null;
  if (now.type === 'list' && before.type === 'list') return listFlow(now, growth, direction);
  if (now.type === 'stream' && before.type === 'stream') return streamFlow(before, now, growth);
  return atLeast(growth);
};

/** The end with the oldest element: opposite to where elements are added. */
export const oldestEnd = ({ pushedAt, takenFrom }: Direction): End =>
  pushedAt ? OTHER[pushedAt] : (takenFrom ?? 'head');
