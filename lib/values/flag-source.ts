import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Registry } from '@/lib/keyspace/registry';
import type { NamedFamily } from './named-keys';

/** The keys that hold a connection's flags. */
export interface FlagSource extends NamedFamily {
  /** The common prefix of the flags' names; empty where all keys of the family are flags. */
  prefix: string;
  /** Whether the flags are variables too, edited as variables. */
  areVariables: boolean;
}

/** The family with the role `flag`; otherwise the variables that their family declares as flags. Null without either. */
export const flagSource = (catalog: Registry): FlagSource | null => {
  const own = catalog.role('flag');
  const variables = catalog.role('variable');
  const family = own ?? variables;
  const part = own ? own.part('name') : variables?.part('flag');
  if (!family || !part || !('param' in part)) return null;
  const areVariables = own === undefined;
  return { family, prefix: part.prefix ?? '', areVariables, index: areVariables ? 'variable' : 'flag' };
};

export const isFlagVariable = ({ catalog }: Pick<ReadContext, 'catalog'>, name: string): boolean => {
  const source = flagSource(catalog);
  return source?.areVariables === true && name.startsWith(source.prefix);
};
