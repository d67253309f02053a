import 'server-only';
import { globParts, literalOf } from '@/lib/keyspace/glob';

const isLetter = (byte: number): boolean => byte >= 0x80 || /[A-Za-z0-9]/.test(String.fromCharCode(byte));

const MIN_LITERAL_RUN = 2;

/**
 * Whether a pattern matches nearly everything: it has no two adjacent literal bytes with a letter or digit among them
 * (`*`, `?*`, `[^]*`, `[a-z]*`, `*:*`). A pattern without wildcards is one key and never a catch-all.
 */
export const isCatchAll = (pattern: Uint8Array): boolean => {
  const literals = globParts(pattern).map(literalOf);
  if (literals.every((byte) => byte !== null)) return pattern.length === 0;
  let run: number[] = [];
  return !literals.some((byte) => {
    run = byte === null ? [] : [...run, byte];
    return run.length >= MIN_LITERAL_RUN && run.some(isLetter);
  });
};

/** Whether the fixed start of a pattern is this prefix, or the prefix without its last byte. */
export const startsWithPrefix = (pattern: Uint8Array, prefix: Uint8Array): boolean => {
  const parts = globParts(pattern);
  const until = parts.indexOf('run');
  const fixed = (until < 0 ? parts : parts.slice(0, until)).slice(0, prefix.length) as Uint8Array[];
  return fixed.length >= prefix.length - 1 && fixed.every((set, i) => set[prefix[i]!] === 1);
};
