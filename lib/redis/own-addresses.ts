import 'server-only';
import type { Socket } from 'node:net';
import type { ConnectionHandle } from './connections';

/**
 * Addresses of this process's connections to a server as it lists them. Their names say the same, but a Redis user may
 * not be allowed to set one.
 */
export const ownAddresses = ({ own }: ConnectionHandle): ReadonlySet<string> => {
  const clients = [...own.topologies]
    .flatMap((topology) => topology.primaries())
    .flatMap((node) => node.clients());
  const sockets = clients.map(({ redis }) => (redis as unknown as { stream?: Socket }).stream);
  return new Set(
    sockets.flatMap((socket) => {
      if (!socket?.localAddress || !socket.localPort) return [];
      const { localAddress, localPort } = socket;
      return [`${localAddress}:${localPort}`, `[${localAddress}]:${localPort}`];
    }),
  );
};
