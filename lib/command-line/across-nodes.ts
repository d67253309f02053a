import 'server-only';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { inOneSlot } from '@/lib/redis/one-slot';
import type { ParsedCall } from '@/lib/redis/parsed-call';
import { commandRefused } from './refusals';
import { nameOf } from './words';

/** What a cluster answers for one of its nodes only. */
const OF_ONE_NODE: Readonly<Record<string, string>> = {
  scan: 'It would read the keys of one node of the cluster. The list of keys reads those of all.',
  randomkey: 'It would choose among the keys of one node of the cluster. The list of keys has those of all.',
  dbsize: 'It would count the keys of one node of the cluster. The list of keys counts those of all.',
};

const SEVERAL = 'Its keys are in several slots of the cluster, and a command has keys of one slot only.';

/** What to do instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  rename: 'Open the key and rename it there: it is copied, compared, and only then deleted.',
  renamenx: 'Open the key and rename it there: it is copied, compared, and only then deleted.',
  copy: 'Open the key and duplicate it there.',
};
const ONE_BY_ONE = 'Type a line for each, or choose names with the same {hash tag}.';

/** Throws 400 for what a cluster would refuse, or answer for one of its nodes only. */
export const refuseAcrossNodes = (
  connection: ConnectionHandle,
  call: ParsedCall,
  keys: readonly Key[],
): void => {
  const name = nameOf(call);
  const reason = connection.topology.kind === 'cluster' ? OF_ONE_NODE[name] : undefined;
  if (reason) throw commandRefused('keys', reason);
  if (!inOneSlot(connection, keys)) throw commandRefused('keys', `${SEVERAL} ${INSTEAD[name] ?? ONE_BY_ONE}`);
};
