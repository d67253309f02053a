import 'server-only';

/** Distance by insertions, deletions, replacements and swapped neighbours. */
const distance = (a: string, b: string): number => {
  const rows = [Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + Number(a[i - 1] !== b[j - 1]);
      row[j] = Math.min(replaced, rows[i - 1]![j]! + 1, row[j - 1]! + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
};

const MAX_WORD = 30;
const MAX_DISTANCE = 2;
const MAX_NAMES = 3;

/** Up to three names that the word may stand for, the nearest first. */
export const nearestTo = (word: string, names: Iterable<string>): string[] => {
  const typed = word.toLowerCase();
  if (typed.length < 2 || typed.length > MAX_WORD) return [];
  return [...names]
    .map((name) => ({ name, far: name.startsWith(typed) ? 0.5 : distance(typed, name) }))
    .filter(({ far }) => far <= Math.min(MAX_DISTANCE, typed.length / 2))
    .sort((a, b) => a.far - b.far || a.name.localeCompare(b.name))
    .slice(0, MAX_NAMES)
    .map(({ name }) => name);
};
