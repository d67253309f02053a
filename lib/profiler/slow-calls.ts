import 'server-only';
import { maskedAddress } from '@/lib/calls/client-name';
import { type LoggedCall, slowCalls, withCallers } from '@/lib/calls/slow-log';
import type { Registry } from '@/lib/keyspace/registry';
import type { CommandTable } from '@/lib/redis/command-table';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { ownClients } from '@/lib/redis/own-clients';
import { readServer } from '@/lib/redis/server-reads';
import type { Node } from '@/lib/redis/topology';
import { SECOND } from '@/lib/time';
import { callFilter } from './call-filter';
import type { Callers } from './callers';
import { inWords, UNCLASSIFIED } from './calls';
import type { ProfileFilter } from './schema';

const MAX_READ = 128;

export interface SlowCall extends ReturnType<typeof inWords> {
  at: number;
  micros: number;
  client: string;
}

interface Wanted {
  table: CommandTable;
  catalog: Registry;
  callers: Callers;
  filter: ProfileFilter;
  /** By the server's clock, epoch ms. */
  since: number;
}

/**
 * Entries of a server's slow log since a time, slowest first; null where it is refused. `complete` is false where more
 * entries were logged meanwhile than are read.
 */
export const readSlowCalls = async (
  handle: ConnectionHandle,
  node: Node,
  { table, catalog, callers, filter, since }: Wanted,
): Promise<{ calls: SlowCall[]; complete: boolean } | null> => {
  const logged = (await readServer(handle, node, ['SLOWLOG', 'GET', MAX_READ]).catch(() => null)) as
    | LoggedCall[]
    | null;
  if (!logged) return null;
  const from = Math.floor(since / SECOND);
  const within = logged.filter(([, at]) => at >= from);
  const matches = callFilter(filter, callers);
  const calls = withCallers(within.map(slowCalls(catalog, table, ownClients(node))))
    .filter(({ call, address, own }) => {
      if (own) return false;
      const isUnclassified = call.families.length === 0 && (call.keys ?? 0) > 0;
      return matches({
        command: call.command.toLowerCase().replace(' ', '|'),
        families: isUnclassified ? [UNCLASSIFIED] : call.families,
        address: callers.sourceOf(node, address),
        namesKey: (text) =>
          call.shown.some((shown) => shown.kind === 'key' && shown.text.toLowerCase().includes(text)),
      });
    })
    .map(({ call, at, durationMicros, name, address }) => ({
      ...inWords(call),
      at,
      micros: durationMicros,
      client: name ?? maskedAddress(address),
    }))
    .sort((a, b) => b.micros - a.micros);
  return { calls, complete: within.length < MAX_READ };
};
