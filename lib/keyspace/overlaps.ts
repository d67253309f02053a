import { COMMON_APP } from './apps/common';
import { byteTable, encodeText } from './bytes';
import type { Located } from './classify';
import type { Family } from './family';
import type { Grammar } from './grammar';
import { matchPattern } from './pattern';

/**
 * Two families that can both match one key. `example` is such a key; `winner` is the id of its family in the registry.
 */
export interface Overlap {
  readonly families: readonly [string, string];
  readonly example: string;
  readonly winner: string;
}

/** How many pairs of positions may still be compared: large catalogs could take minutes. */
export interface OverlapBudget {
  states: number;
}
const MAX_STATES = 5_000_000;

/** One byte out of `table`; `loop` means any number of them, including none. */
interface Step {
  readonly table: Uint8Array;
  readonly loop: boolean;
}

const WORD = byteTable('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-');
const HEX = byteTable('0123456789abcdefABCDEF');
const some = (table: Uint8Array, count = 1): Step[] => [
  ...Array.from({ length: count }, () => ({ table, loop: false })),
  { table, loop: true },
];
const exactly = (bytes: Uint8Array): Step[] =>
  Array.from(bytes, (byte) => ({
    table: byteTable(String.fromCharCode(byte & 0x7f)).map((on, i) =>
      byte < 0x80 ? on : Number(i === byte),
    ),
    loop: false,
  }));

/**
 * Step sequences for a grammar. They may describe slightly more than the grammar, so examples are verified afterwards.
 */
const alternatives = (grammar: Grammar): Step[][] => {
  const dot = exactly(encodeText('.'));
  switch (grammar.shape.kind) {
    case 'words':
      return grammar.shape.words.map((word) => exactly(encodeText(word)));
    case 'jwt':
      return [[...some(WORD), ...dot, ...some(WORD), ...dot, ...some(WORD)]];
    case 'uuid': {
      const digits = (count: number) => Array.from({ length: count }, () => ({ table: HEX, loop: false }));
      const dash = exactly(encodeText('-'));
      return [[8, 4, 4, 4, 12].flatMap((count, i) => [...(i === 0 ? [] : dash), ...digits(count)])];
    }
    case 'pairs':
      return [[...some(WORD), ...exactly(encodeText('=')), { table: grammar.table, loop: true }]];
    case 'legacy-token':
      return [some(byteTable('0123456789abcdefghijklmnopqrstuvwxyz_'), grammar.min)];
    default:
      return [some(grammar.table, Math.min(grammar.min, 32))];
  }
};

const stepsOf = (family: Family): Step[][] => {
  const { literals, params } = family.compiled;
  let paths: Step[][] = [exactly(literals[0]!)];
  params.forEach(({ grammar }, i) => {
    const options = alternatives(grammar);
    const literal = exactly(literals[i + 1]!);
    paths = paths.flatMap((path) => options.map((option) => [...path, ...option, ...literal]));
  });
  return paths;
};

/** Bytes to try first, so that examples read well. */
const PREFERRED = [...encodeText('1a'), ...Array.from({ length: 0x5e }, (_, i) => 0x21 + i)];
const commonByte = (a: Uint8Array, b: Uint8Array): number =>
  PREFERRED.find((byte) => a[byte]! && b[byte]!) ?? -1;

interface RevocationSummary {
  readonly i: number;
  readonly j: number;
  readonly from: RevocationSummary | null;
  readonly byte: number;
}

const spell = (end: RevocationSummary): Buffer => {
  const bytes: number[] = [];
  for (let at: RevocationSummary | null = end; at !== null; at = at.from)
    if (at.byte >= 0) bytes.push(at.byte);
  return Buffer.from(bytes.reverse());
};

/** A shortest key that matches both step sequences, by breadth-first search over pairs of positions; null without one. */
const commonKey = (a: readonly Step[], b: readonly Step[], budget: OverlapBudget): Buffer | null => {
  const seen = new Set<number>([0]);
  const queue: RevocationSummary[] = [{ i: 0, j: 0, from: null, byte: -1 }];
  const visit = (i: number, j: number, from: RevocationSummary, byte: number) => {
    const state = i * (b.length + 1) + j;
    if (!seen.has(state)) seen.add(state) && queue.push({ i, j, from, byte });
  };
  for (let next = 0; next < queue.length && budget.states-- > 0; next++) {
    const here = queue[next]!;
    const { i, j } = here;
    if (i === a.length && j === b.length) return spell(here);
    const left = a[i];
    const right = b[j];
    if (left?.loop) visit(i + 1, j, here, -1);
    if (right?.loop) visit(i, j + 1, here, -1);
    if (left === undefined || right === undefined) continue;
    const byte = commonByte(left.table, right.table);
    if (byte >= 0) visit(left.loop ? i : i + 1, right.loop ? j : j + 1, here, byte);
  }
  return null;
};

const prefixesAgree = (a: Uint8Array, b: Uint8Array): boolean => {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return false;
  return true;
};

const matches = (family: Family, key: Uint8Array): boolean =>
  matchPattern(family.compiled, key, new Int32Array(2 * family.paramNames.length));

const exampleOf = (
  a: Family,
  b: Family,
  stepsFor: (family: Family) => readonly Step[][],
  budget: OverlapBudget,
): Buffer | undefined => {
  for (const left of stepsFor(a)) {
    for (const right of stepsFor(b)) {
      const key = commonKey(left, right, budget);
      if (key !== null && matches(a, key) && matches(b, key)) return key;
    }
  }
  return undefined;
};

const cachedSteps = (): ((family: Family) => readonly Step[][]) => {
  const known = new Map<Family, Step[][]>();
  return (family) => {
    const steps = known.get(family) ?? stepsOf(family);
    known.set(family, steps);
    return steps;
  };
};

/** Excludes families of common prefixes: an application's own families below these are meant to win. */
function* pairsOf(all: readonly Family[]): Generator<readonly [Family, Family]> {
  const families = all.filter(({ app }) => app !== COMMON_APP);
  for (const [index, a] of families.entries())
    for (let other = index + 1; other < families.length; other++) {
      const b = families[other]!;
      if (prefixesAgree(a.compiled.literals[0]!, b.compiled.literals[0]!)) yield [a, b];
    }
}

/** The pairs that can both match one key, with such a key; null in place of the key where the budget ended first. */
export function* overlapsWithin(
  families: readonly Family[],
  budget: OverlapBudget,
): Generator<readonly [Family, Family, string | null]> {
  const steps = cachedSteps();
  for (const [a, b] of pairsOf(families)) {
    const example = exampleOf(a, b, steps, budget);
    if (example) yield [a, b, example.toString('utf8')];
    else if (budget.states <= 0) {
      yield [a, b, null];
      return;
    }
  }
}

/** Finds the pairs of families that can both match one key. Both families have matched every example. */
export const findOverlaps = (
  families: readonly Family[],
  locate: (key: Uint8Array) => Located,
): Overlap[] => {
  const steps = cachedSteps();
  const budget = { states: MAX_STATES };
  const overlaps: Overlap[] = [];
  for (const [a, b] of pairsOf(families)) {
    const example = exampleOf(a, b, steps, budget);
    if (!example) continue;
    overlaps.push({
      families: [a.id, b.id],
      example: example.toString('utf8'),
      winner: locate(example).family!.id,
    });
  }
  return overlaps;
};
