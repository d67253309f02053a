import { diffArrays } from 'diff';

export interface LineDiff {
  kind: 'same' | 'gone' | 'new';
  text: string;
}

/** Above this number of removed and added lines, all old lines are shown first, then all new ones. */
const MAX_EDITS = 300;

/** Removed, unchanged and added lines, in reading order. */
export const diffLines = (before: string[], after: string[]): LineDiff[] => {
  const changes = diffArrays(before, after, { maxEditLength: MAX_EDITS }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ];
  return changes.flatMap(({ removed, added, value }) => {
    const kind = removed ? 'gone' : added ? 'new' : 'same';
    return value.map((text): LineDiff => ({ kind, text }));
  });
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
