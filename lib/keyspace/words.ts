const MAX_DEPTH = 6;
const WORD = /^\p{L}[\p{L}\p{N} ._-]{0,39}$/u;
const isWord = (part: string): boolean => WORD.test(part) && (part.match(/\d/g)?.length ?? 0) <= 2;

/**
 * The leading words of a key, each with its separator: `app:user:` for `app:user:17:cart`. The last part of a key is
 * its own name. `.`, `_` and `-` separate only where no stronger separator does.
 */
export const wordsBefore = (displayed: string): string[] => {
  const parts = displayed.match(/[:/|#]/) ? displayed.split(/(?<=[:/|#])/) : displayed.split(/(?<=[._-])/);
  if (parts.length === 1) {
    const [, name] = /^(\p{L}{2,40})\d+$/u.exec(displayed) ?? [];
    return name ? [name] : [];
  }
  const last = Math.min(parts.length - 1, MAX_DEPTH);
  const end = parts.findIndex((part, i) => i >= last || !isWord(part.slice(0, -1)));
  return parts.slice(0, end);
};
