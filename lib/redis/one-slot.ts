import 'server-only';
import type { Key } from './commands';
import type { ConnectionHandle } from './connections';
import { slotOf } from './topology/slots';

/**
 * Whether one script or one command may have all these keys: in a cluster only those of one slot. Outside a cluster always.
 */
export const inOneSlot = (
  { topology }: Pick<ConnectionHandle, 'topology'>,
  keys: readonly Key[],
): boolean => {
  if (topology.kind !== 'cluster') return true;
  const [first, ...others] = keys.map(slotOf);
  return others.every((slot) => slot === first);
};

/** What the audit record of a change says where its keys are in several slots: its steps are not one. */
export const stepsNote = (
  handle: Pick<ConnectionHandle, 'topology'>,
  keys: readonly Key[],
): Record<string, boolean> => (inOneSlot(handle, keys) ? {} : { oneStep: false });
