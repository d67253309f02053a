import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { type KnownNames, knownVariableNames } from '@/lib/values/known-names';
import { type NamedVariable, variableKey, variableNames } from '@/lib/values/variable-names';

/** Flags are the environment variables of this category (000 §2: features, FEATURE_*). */
export const FLAG_PREFIX = 'FEATURE_';

export const isFlagName = (name: string): boolean => name.startsWith(FLAG_PREFIX);

/** The key of a flag; null for a name that no flag can have. 404 where the connection's apps have no flags. */
export const flagKey = (ctx: ReadContext, name: string): Key | null => {
  const key = variableKey(ctx, name);
  return isFlagName(name) ? key : null;
};

/** The names and keys of all flags, by name. `polling`: for who asks all the time, perhaps a little older. */
export const flagNames = async (
  ctx: ReadContext,
  options: { polling?: boolean } = {},
): Promise<NamedVariable[]> => (await variableNames(ctx, options)).filter(({ name }) => isFlagName(name));

/** The same for a list, at once: `complete` says whether a walk is still under way that may find newer ones. */
export const knownFlagNames = async (ctx: ReadContext): Promise<KnownNames> => {
  const known = await knownVariableNames(ctx);
  return { ...known, names: known.names.filter(({ name }) => isFlagName(name)) };
};
