import 'server-only';
import { isOwnClient, maskedAddress, shownClientName } from '@/lib/calls/client-name';
import type { Registry } from '@/lib/catalog/registry';
import type { CommandTable } from '@/lib/redis/command-table';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { readServer } from '@/lib/redis/server-reads';
import { SECOND } from '@/lib/time';
import { wordsOf } from './calls';

const MAX_READ = 128;

type Logged = [id: number, at: number, micros: number, args: Buffer[], address?: Buffer, name?: Buffer];

export interface SlowCall extends ReturnType<typeof wordsOf> {
  at: number;
  micros: number;
  client: string;
}

/** Entries of the slow log since a time of the server's clock, slowest first; null where it is refused. */
export const readSlowCalls = async (
  handle: ConnectionHandle,
  { table, catalog, since }: { table: CommandTable | null; catalog: Registry; since: number },
): Promise<SlowCall[] | null> => {
  const logged = (await readServer(handle, ['SLOWLOG', 'GET', MAX_READ]).catch(() => null)) as
    | Logged[]
    | null;
  if (!logged) return null;
  return logged
    .filter(
      ([, at, , , , name]) =>
        at >= Math.floor(since / SECOND) && !isOwnClient(name?.toString('latin1') ?? ''),
    )
    .map(([, at, micros, args, address, name]) => ({
      ...wordsOf(table, args, catalog),
      ...{ at: at * SECOND, micros },
      client: name?.length ? shownClientName(name) : maskedAddress(address?.toString('latin1') ?? ''),
    }))
    .sort((a, b) => b.micros - a.micros);
};
