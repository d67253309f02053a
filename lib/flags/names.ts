import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { badField, notFound } from '@/lib/errors';
import { looksSecret } from '@/lib/keyspace/mask';
import type { Key } from '@/lib/redis/commands';
import { type FlagSource, flagSource } from '@/lib/values/flag-source';
import { type KnownNames, knownNames } from '@/lib/values/known-names';
import { keyNamed, type NamedKey, walkOf } from '@/lib/values/named-keys';
import { type FlagNaming, flagNameFault } from './schema';

type FlagContext = Pick<ReadContext, 'catalog' | 'connection'>;

/** The flags of a connection. 404 where its catalog has none. */
export const flagsOf = ({ catalog, connection }: FlagContext): FlagSource => {
  const source = flagSource(catalog);
  if (!source) throw notFound(`A flag on connection "${connection.config.id}"`);
  return source;
};

/** Whether a text can be the name of a flag. False where the catalog has no flags. */
export const isFlagName = ({ catalog }: Pick<FlagContext, 'catalog'>, name: string): boolean => {
  const source = flagSource(catalog);
  return source !== null && name.startsWith(source.prefix);
};

/** A flag's key; null if the name is not a valid flag name. 404 if the connection's applications have no flags. */
export const flagKey = (ctx: ReadContext, name: string): Key | null => {
  const { family, prefix } = flagsOf(ctx);
  return name.startsWith(prefix) ? keyNamed(ctx, family, name) : null;
};

const onlyFlags = ({ prefix }: FlagSource, names: readonly NamedKey[]): NamedKey[] =>
  names.filter(({ name }) => name.startsWith(prefix));

/** Names and keys of all flags, sorted. `polling` accepts slightly older names, for clients that poll. */
export const flagNames = async (
  ctx: ReadContext,
  options: { polling?: boolean } = {},
): Promise<NamedKey[]> => {
  const source = flagsOf(ctx);
  return onlyFlags(source, await walkOf(ctx, source, options).names);
};

/** Names and keys of the known flags without waiting for a scan; `complete: false` while a scan may find more. */
export const knownFlagNames = async (ctx: ReadContext): Promise<KnownNames> => {
  const source = flagsOf(ctx);
  const known = await knownNames(ctx, source);
  return { ...known, names: onlyFlags(source, known.names) };
};

export const namingOf = (ctx: FlagContext): FlagNaming => {
  const { prefix, areVariables } = flagsOf(ctx);
  return { prefix, kind: areVariables ? 'variable' : 'own' };
};

/** Why a new flag cannot have this name; null if it can. */
export const whyNoFlagName = (ctx: ReadContext, name: string): string | null => {
  const { prefix, kind } = namingOf(ctx);
  const letters = kind === 'variable' ? 'A-Z, 0-9 and _' : 'letters, digits and _ . : / -';
  if (flagNameFault({ prefix, kind }, name))
    return `A flag name is ${prefix && `${prefix} followed by `}${letters}, at most 120.`;
  return flagKey(ctx, name) ? null : 'No flag of this connection can have this name.';
};

/** 400 for a name that a new flag cannot have. */
export const checkFlagName = (ctx: ReadContext, name: string): void => {
  const message = whyNoFlagName(ctx, name);
  if (message !== null) throw badField('name', message);
};

/** The target of a change without a flag. */
export const NO_FLAG = 'no flag';

/** Audit target: the flag's name, which `flags.history` looks up. Any other text may be a secret and is not recorded. */
export const flagTarget = ({ name }: { name: string }, ctx: FlagContext): string => {
  const source = flagSource(ctx.catalog);
  const isRecorded = isFlagName(ctx, name) && (source?.areVariables || !looksSecret(name));
  return isRecorded ? name : NO_FLAG;
};
