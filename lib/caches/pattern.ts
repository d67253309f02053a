import 'server-only';

/** One element of a Redis glob: any run of bytes, or one byte of a set. */
type Part = 'run' | Uint8Array;

const [STAR, ANY, OPEN, CLOSE, ESCAPE, NOT, TO] = [0x2a, 0x3f, 0x5b, 0x5d, 0x5c, 0x5e, 0x2d] as const;

const setOf = (from: number, to = from): Uint8Array => new Uint8Array(256).fill(1, from, to + 1);

/** The set that starts at `at`, after `[`, as Redis parses it: an unclosed set ends with the pattern, `[^]` is any byte. */
const classAt = (pattern: Uint8Array, at: number): { set: Uint8Array; end: number } => {
  const negated = pattern[at] === NOT;
  const set = new Uint8Array(256);
  let i = negated ? at + 1 : at;
  for (; i < pattern.length && pattern[i] !== CLOSE; i++) {
    if (pattern[i] === ESCAPE && i + 1 < pattern.length) i += 1;
    else if (pattern[i + 1] === TO && i + 2 < pattern.length) {
      const [a, b] = [pattern[i]!, pattern[i + 2]!];
      set.fill(1, Math.min(a, b), Math.max(a, b) + 1);
      i += 2;
      continue;
    }
    set[pattern[i]!] = 1;
  }
  return { set: negated ? set.map((held) => 1 - held) : set, end: i };
};

const partsOf = (pattern: Uint8Array): Part[] => {
  const parts: Part[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const byte = pattern[i]!;
    if (byte === STAR) parts.push('run');
    else if (byte === ANY) parts.push(setOf(0, 255));
    else if (byte === OPEN) {
      const { set, end } = classAt(pattern, i + 1);
      parts.push(set);
      i = end;
    } else {
      if (byte === ESCAPE && i + 1 < pattern.length) i += 1;
      parts.push(setOf(pattern[i]!));
    }
  }
  return parts;
};

/** The byte of a part that matches exactly one; null for other parts. */
const literalOf = (part: Part): number | null => {
  if (part === 'run') return null;
  const first = part.indexOf(1);
  return first >= 0 && part.indexOf(1, first + 1) < 0 ? first : null;
};

const isLetter = (byte: number): boolean => byte >= 0x80 || /[A-Za-z0-9]/.test(String.fromCharCode(byte));

const MIN_LITERAL_RUN = 2;

/**
 * Whether a pattern matches nearly everything: it has no two adjacent literal bytes with a letter or digit among them
 * (`*`, `?*`, `[^]*`, `[a-z]*`, `*:*`). A pattern without wildcards is one key and never a catch-all.
 */
export const isCatchAll = (pattern: Uint8Array): boolean => {
  const literals = partsOf(pattern).map(literalOf);
  if (literals.every((byte) => byte !== null)) return pattern.length === 0;
  let run: number[] = [];
  return !literals.some((byte) => {
    run = byte === null ? [] : [...run, byte];
    return run.length >= MIN_LITERAL_RUN && run.some(isLetter);
  });
};

/** Whether the fixed start of a pattern is this prefix, or the prefix without its last byte. */
export const startsWithPrefix = (pattern: Uint8Array, prefix: Uint8Array): boolean => {
  const parts = partsOf(pattern);
  const until = parts.indexOf('run');
  const fixed = (until < 0 ? parts : parts.slice(0, until)).slice(0, prefix.length) as Uint8Array[];
  return fixed.length >= prefix.length - 1 && fixed.every((set, i) => set[prefix[i]!] === 1);
};
