import 'server-only';
import { SECOND } from '@/lib/time';
import { isProcessKnown } from './client';
import { type OwnConnection, ownConnections } from './own-connections';
import type { Node } from './topology';

/** Tolerance between the server's clock and ours. */
const CLOCKS_MS = 10 * SECOND;

/**
 * Which clients of a server are connections of this process: to any of its databases, and of the store if that is on
 * the same server. Never decided by name, because any client may call itself `keyward-…`.
 */
export interface OwnClients {
  /** Whether a line of CLIENT LIST is ours. */
  has(id: string, address: string): boolean;
  /** Whether a command from an address at a time (epoch ms) was ours. */
  ran(address: string, at: number): boolean;
}

/** Over a Unix socket all clients have one address: its path, which Valkey 9 writes in brackets. */
export const isAddressShared = (address: string): boolean => /^\[?\//.test(address);

/** Whether a connection is to the server of a node. */
const isTo = (node: Node) => {
  const [process, id] = [node.process(), node.id];
  return (each: OwnConnection): boolean => {
    if (each.process !== null && process !== null && isProcessKnown(process)) return each.process === process;
    return each.server === id;
  };
};

/**
 * Addresses of the open connections, as MONITOR shows them. MONITOR's data handler calls it, so it skips the ended
 * ones, up to 1000.
 */
export const ownAddresses = (node: Node): string[] =>
  [...ownConnections().open].filter(isTo(node)).flatMap(({ addresses }) => addresses);

export const ownClients = (node: Node): OwnClients => {
  const isHere = isTo(node);
  const connections = ownConnections();
  const open = [...connections.open].filter(isHere);
  const ids = new Set(open.map(({ id }) => id));
  const withoutId = new Set(open.flatMap(({ id, addresses }) => (id === null ? addresses : [])));
  const byAddress = new Map<string, OwnConnection[]>();
  for (const connection of [...open, ...connections.ended.filter(isHere)])
    for (const address of connection.addresses)
      byAddress.set(address, [...(byAddress.get(address) ?? []), connection]);
  return {
    has: (id, address) => ids.has(id) || withoutId.has(address),
    ran: (address, at) =>
      !isAddressShared(address) &&
      (byAddress.get(address) ?? []).some(
        ({ from, until }) => at >= from - CLOCKS_MS && at <= until + CLOCKS_MS,
      ),
  };
};
