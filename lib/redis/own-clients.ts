import 'server-only';
import { SECOND } from '@/lib/time';
import { isProcessKnown } from './client';
import type { ConnectionHandle } from './connections';
import { type OwnConnection, ownConnections } from './own-connections';

/** Between the server's clock and ours. */
const CLOCKS_MS = 10 * SECOND;

/**
 * Which clients of a server are connections of this process: to any of its databases, and of the store where it is kept
 * there. Never by a name, because any client may call itself `keyward-…`.
 */
export interface OwnClients {
  /** Whether a line of CLIENT LIST is ours. */
  has(id: string, address: string): boolean;
  /** Addresses of the open ones, as MONITOR shows them. */
  addresses: ReadonlySet<string>;
  /** Whether what came from an address at a time (epoch ms) was ours. */
  ran(address: string, at: number): boolean;
}

/** Over a Unix socket all clients have one address. */
export const isAddressShared = (address: string): boolean => address.startsWith('/');

export const ownClients = ({ server, topology }: ConnectionHandle): OwnClients => {
  const process = topology.primaries()[0]!.client('read').process();
  const isHere = (each: OwnConnection): boolean => {
    if (each.process !== null && process !== null && isProcessKnown(process)) return each.process === process;
    return each.server === server;
  };
  const all = ownConnections();
  const open = [...all.open].filter(isHere);
  const ids = new Set(open.map(({ id }) => id));
  const withoutId = new Set(open.flatMap(({ id, addresses }) => (id === null ? addresses : [])));
  const byAddress = new Map<string, OwnConnection[]>();
  for (const each of [...open, ...all.ended.filter(isHere)])
    for (const address of each.addresses) byAddress.set(address, [...(byAddress.get(address) ?? []), each]);
  return {
    has: (id, address) => ids.has(id) || withoutId.has(address),
    addresses: new Set(open.flatMap(({ addresses }) => addresses)),
    ran: (address, at) =>
      !isAddressShared(address) &&
      (byAddress.get(address) ?? []).some(
        ({ from, until }) => at >= from - CLOCKS_MS && at <= until + CLOCKS_MS,
      ),
  };
};
