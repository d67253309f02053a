export interface LineDiff {
  kind: 'same' | 'gone' | 'new';
  text: string;
}

/** Beyond this many comparisons two texts are shown one after the other. */
const MAX_STEPS = 250_000;

/** Lengths of the longest common subsequence of every two tails (Hunt & McIlroy's problem, by plain tables). */
const commonTails = (before: readonly string[], after: readonly string[]): Uint16Array[] => {
  const table = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      table[i]![j] =
        before[i] === after[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
  return table;
};

/** Lines that went, stayed and came, in reading order. */
export const diffLines = (before: readonly string[], after: readonly string[]): LineDiff[] => {
  const gone = (text: string): LineDiff => ({ kind: 'gone', text });
  const added = (text: string): LineDiff => ({ kind: 'new', text });
  if (before.length * after.length > MAX_STEPS) return [...before.map(gone), ...after.map(added)];
  const table = commonTails(before, after);
  const diff: LineDiff[] = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      diff.push({ kind: 'same', text: before[i]! });
      i++;
      j++;
    } else if (table[i + 1]![j]! >= table[i]![j + 1]!) diff.push(gone(before[i++]!));
    else diff.push(added(after[j++]!));
  }
  return [...diff, ...before.slice(i).map(gone), ...after.slice(j).map(added)];
};

const LOW = /[\udc00-\udfff]/;

/** What differs between two lines: the same at both ends is left out. Whole characters only. */
export const differingPart = (
  before: string,
  after: string,
): { from: number; beforeTo: number; afterTo: number } => {
  let from = 0;
  const least = Math.min(before.length, after.length);
  while (from < least && before[from] === after[from]) from++;
  if (LOW.test(before[from] ?? '') || LOW.test(after[from] ?? '')) from--;
  let [beforeTo, afterTo] = [before.length, after.length];
  while (beforeTo > from && afterTo > from && before[beforeTo - 1] === after[afterTo - 1]) {
    beforeTo--;
    afterTo--;
  }
  if (LOW.test(before[beforeTo] ?? '')) {
    beforeTo++;
    afterTo++;
  }
  return { from, beforeTo, afterTo };
};

/** A text as lines, each with its own line break, so that a missing one at the end is a difference. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
