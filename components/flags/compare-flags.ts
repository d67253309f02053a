import type { Flag } from '@/lib/flags/schema';

/** A flag here and in another connection; undefined where it does not exist. */
export interface FlagPair {
  name: string;
  here: Flag | undefined;
  there: Flag | undefined;
  differs: boolean;
}

/** Whether both mean the same: booleans may be stored in different formats. */
const isSame = (here: Flag | undefined, there: Flag | undefined): boolean =>
  here === undefined || there === undefined
    ? here === there
    : here.enabled === there.enabled && (here.enabled !== null || here.raw === there.raw);

/** The flags of two connections by name, in order. */
export const pairsOf = (here: readonly Flag[], there: readonly Flag[]): FlagPair[] => {
  const [own, other] = [here, there].map((flags) => new Map(flags.map((flag) => [flag.name, flag])));
  return [...new Set([...own!.keys(), ...other!.keys()])].sort().map((name) => {
    const pair = { here: own!.get(name), there: other!.get(name) };
    return { name, ...pair, differs: !isSame(pair.here, pair.there) };
  });
};
