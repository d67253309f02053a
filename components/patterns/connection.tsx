'use client';

import { createContext, type ReactNode, useContext } from 'react';
import type { Connection } from '@/lib/insights/schema';

/** What a page needs to know of its connection; `role`, and `readOnly` with it, can change while the page is open. */
export type ConnectionFacts = Pick<Connection, 'id' | 'name' | 'environment' | 'role' | 'readOnly' | 'apps'>;

const ConnectionsContext = createContext<readonly ConnectionFacts[]>([]);
const ConnectionContext = createContext<ConnectionFacts | null>(null);

export const ConnectionsProvider = (props: {
  connections: readonly ConnectionFacts[];
  children: ReactNode;
}) => <ConnectionsContext value={props.connections}>{props.children}</ConnectionsContext>;

export const useConnections = (): readonly ConnectionFacts[] => useContext(ConnectionsContext);

export const ConnectionProvider = (props: { connection: ConnectionFacts; children: ReactNode }) => {
  // The shell refetches the connections, so this is newer than what the page was rendered with.
  const known = useConnections().find(({ id }) => id === props.connection.id);
  return <ConnectionContext value={known ?? props.connection}>{props.children}</ConnectionContext>;
};

/** The connection of this page's address. Only below `[connection]/layout.tsx`. */
export const useConnection = (): ConnectionFacts => {
  const connection = useContext(ConnectionContext);
  if (!connection) throw new Error('useConnection needs a page under /{connection}');
  return connection;
};

/** The same where a page may also be a global one (jobs, audit): null there. */
export const useConnectionOrNull = (): ConnectionFacts | null => useContext(ConnectionContext);
