export interface LineDiff {
  kind: 'same' | 'gone' | 'new';
  text: string;
}

/** With more comparisons, all old lines are shown first, then all new ones. */
const MAX_STEPS = 250_000;

/** table[i][j]: length of the longest common subsequence of `before` from i and `after` from j. */
const commonTails = (before: readonly string[], after: readonly string[]): Uint16Array[] => {
  const table = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      table[i]![j] =
        before[i] === after[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
  return table;
};

/** Removed, unchanged and added lines, in reading order. */
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

/** The range in which two lines differ: without their common start and end, never inside a surrogate pair. */
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

/** Splits a text into lines that keep their line breaks, so a missing break at the end is a difference. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
