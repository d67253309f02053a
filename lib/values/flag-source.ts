import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Registry } from '@/lib/keyspace/registry';
import type { NamedFamily } from './named-keys';

/** The keys that are the flags of a connection. */
export interface FlagSource extends NamedFamily {
  /** What the names of flags begin with; empty where all keys of the family are flags. */
  prefix: string;
  /** The flags are variables too, and are edited as such. */
  areVariables: boolean;
}

/** The family with the role `flag`; without one, the variables that their family says are flags. Null without either. */
export const flagSource = (catalog: Registry): FlagSource | null => {
  const own = catalog.role('flag');
  const variables = catalog.role('variable');
  const family = own ?? variables;
  const part = own ? own.part('name') : variables?.part('flag');
  if (!family || !part || !('param' in part)) return null;
  const areVariables = own === undefined;
  return { family, prefix: part.prefix ?? '', areVariables, index: areVariables ? 'variable' : 'flag' };
};

/** Whether this variable is a flag. */
export const isFlagVariable = ({ catalog }: Pick<ReadContext, 'catalog'>, name: string): boolean => {
  const source = flagSource(catalog);
  return source?.areVariables === true && name.startsWith(source.prefix);
};
