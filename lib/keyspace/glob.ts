const GLOB_SPECIALS = /[\\*?[\]]/gu;

/** Escapes the special characters of Redis globs, so that the text matches literally. */
export function escapeGlob(text: string): string;
export function escapeGlob(text: Uint8Array): Buffer;
export function escapeGlob(text: string | Uint8Array): string | Buffer {
  if (typeof text === 'string') return text.replace(GLOB_SPECIALS, '\\$&');
  return Buffer.from(Buffer.from(text).toString('latin1').replace(GLOB_SPECIALS, '\\$&'), 'latin1');
}

const ESCAPED = /\\\\|\\x([0-9a-f]{2})/gi;

/** The bytes of a typed or copied glob: `\xNN` is one byte, which matches itself. */
export const globBytes = (glob: string): Buffer => {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { 0: whole, 1: hex, index } of glob.matchAll(ESCAPED)) {
    if (hex === undefined) continue;
    parts.push(Buffer.from(glob.slice(at, index)), escapeGlob(Buffer.from(hex, 'hex')));
    at = index + whole.length;
  }
  return Buffer.concat([...parts, Buffer.from(glob.slice(at))]);
};

/** One element of a Redis glob: any run of bytes, or one byte of a set. */
export type GlobPart = 'run' | Uint8Array;

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

/** The parts of a glob as Redis interprets it. */
export const globParts = (pattern: Uint8Array): GlobPart[] => {
  const parts: GlobPart[] = [];
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

/** The only byte that a part matches; null for other parts. */
export const literalOf = (part: GlobPart): number | null => {
  if (part === 'run') return null;
  const first = part.indexOf(1);
  return first >= 0 && part.indexOf(1, first + 1) < 0 ? first : null;
};

/** The only key that a glob without wildcards matches; null for any other glob. */
export const exactKeyOf = (parts: readonly GlobPart[]): Buffer | null => {
  const bytes = parts.map(literalOf);
  return bytes.every((byte) => byte !== null) ? Buffer.from(bytes) : null;
};

/**
 * Whether a glob matches, as in Redis. Goes back to the last `*` only, so the time is at most the product of the lengths.
 */
export const matchesGlob = (parts: readonly GlobPart[], bytes: ArrayLike<number>): boolean => {
  let [part, at, star, resume] = [0, 0, -1, 0];
  while (at < bytes.length) {
    const wanted = parts[part];
    if (wanted === 'run') {
      star = part++;
      resume = at;
    } else if (wanted?.[bytes[at]!] === 1) {
      part++;
      at++;
    } else if (star >= 0) {
      part = star + 1;
      at = ++resume;
    } else return false;
  }
  while (parts[part] === 'run') part++;
  return part === parts.length;
};
