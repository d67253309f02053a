import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { type KnownNames, knownVariableNames } from '@/lib/values/known-names';
import { type NamedVariable, variableKey, variableNames } from '@/lib/values/variable-names';

/** Flags are the environment variables of this category (000 §2: features, FEATURE_*). */
export const FLAG_PREFIX = 'FEATURE_';

export const isFlagName = (name: string): boolean => name.startsWith(FLAG_PREFIX);

/** A flag's key; null if the name is not a valid flag name. 404 if the connection's applications have no flags. */
export const flagKey = (ctx: ReadContext, name: string): Key | null => {
  const key = variableKey(ctx, name);
  return isFlagName(name) ? key : null;
};

/** Names and keys of all flags, sorted. `polling` accepts slightly older names, for clients that poll. */
export const flagNames = async (
  ctx: ReadContext,
  options: { polling?: boolean } = {},
): Promise<NamedVariable[]> => (await variableNames(ctx, options)).filter(({ name }) => isFlagName(name));

/** Names and keys of the known flags without waiting for a scan; `complete: false` while a scan may find more. */
export const knownFlagNames = async (ctx: ReadContext): Promise<KnownNames> => {
  const known = await knownVariableNames(ctx);
  return { ...known, names: known.names.filter(({ name }) => isFlagName(name)) };
};
