import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import { FLAG_PREFIX, isFlagName } from './variable-names';

type Where = Pick<ReadContext, 'catalog' | 'connection'>;

/** Whether flags of this connection are changed by two people: one asks, another approves. */
export const flagsNeedTwo = ({ connection }: Pick<ReadContext, 'connection'>): boolean =>
  connection.config.flags.approval === 'two-person';

/** Whether nobody alone may change this variable: it is a flag, and two people change those. */
export const needsSecondPerson = (ctx: Pick<ReadContext, 'connection'>, name: string): boolean =>
  flagsNeedTwo(ctx) && isFlagName(name);

export const SECOND_PERSON =
  'Flags of this connection are changed by two people: ask for the change under Flags, and somebody else approves it.';

/** 409 where one of these variables is a flag that two people change. */
export const refuseAlone = (ctx: Pick<ReadContext, 'connection'>, ...names: readonly string[]): void => {
  if (names.some((name) => needsSecondPerson(ctx, name)))
    throw new Problem('approval_required', SECOND_PERSON);
};

const NOBODYS = (): boolean => false;

/** The same of keys, for what deletes or expires keys whatever they are. */
export const flagsOfTwo = (ctx: Where): ((key: Key) => boolean) => {
  const family = ctx.catalog.get('discours.env-vars');
  if (!family || !flagsNeedTwo(ctx)) return NOBODYS;
  const prefix = Buffer.concat([family.compiled.literals[0]!, Buffer.from(FLAG_PREFIX)]);
  return (key) => key.length >= prefix.length && key.subarray(0, prefix.length).equals(prefix);
};
