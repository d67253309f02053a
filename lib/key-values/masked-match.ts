import 'server-only';
import { type GlobPart, matchesGlob } from '@/lib/keyspace/glob';
import { MASK } from '@/lib/keyspace/mask';

/** No byte has this value, so no letter and no set of a glob matches it, not even a negated one. */
const HIDDEN = 256;

/**
 * Whether a glob matches a name as it is shown. A mask matches `*` only: a set like `[a•]`, or one of all other letters,
 * would say whether the secret has a letter. `isCut`: more follows, which is not shown.
 */
export const matchesShown = (parts: readonly GlobPart[], shown: string, isCut = false): boolean => {
  const pieces = (isCut ? shown.replace(/…$/, '') + MASK : shown).split(MASK);
  return matchesGlob(
    parts,
    pieces.flatMap((piece, i) => [...(i === 0 ? [] : [HIDDEN]), ...Buffer.from(piece)]),
  );
};
