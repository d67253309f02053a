import 'server-only';
import type { Key } from './commands';
import type { ConnectionHandle } from './connections';
import { slotOf } from './topology/slots';

/** Whether one script or one command may have all these keys: in a cluster only keys of one slot, otherwise always. */
export const inOneSlot = (
  { topology }: Pick<ConnectionHandle, 'topology'>,
  keys: readonly Key[],
): boolean => {
  if (topology.kind !== 'cluster') return true;
  const [first, ...others] = keys.map(slotOf);
  return others.every((slot) => slot === first);
};

/** What the audit record says about a change to keys in several slots: its steps are not atomic. */
export const stepsNote = (
  handle: Pick<ConnectionHandle, 'topology'>,
  keys: readonly Key[],
): Record<string, boolean> => (inOneSlot(handle, keys) ? {} : { oneStep: false });
