'use client';

import { createContext, type ReactNode, useContext } from 'react';
import type { Connection } from '@/lib/connections/schema';

/** The facts about a connection that pages use. All but its names may change while a page is open. */
export type ConnectionFacts = Pick<
  Connection,
  'id' | 'name' | 'environment' | 'role' | 'readOnly' | 'roles' | 'entities'
> &
  Partial<Pick<Connection, 'topology' | 'approvals'>>;

const ConnectionsContext = createContext<readonly ConnectionFacts[]>([]);
const ConnectionContext = createContext<ConnectionFacts | null>(null);

export const ConnectionsProvider = (props: {
  connections: readonly ConnectionFacts[];
  children: ReactNode;
}) => <ConnectionsContext value={props.connections}>{props.children}</ConnectionsContext>;

export const useConnections = (): readonly ConnectionFacts[] => useContext(ConnectionsContext);

export const ConnectionProvider = (props: { connection: ConnectionFacts; children: ReactNode }) => {
  // The shell refetches the connections, so these facts are newer than those the page was rendered with.
  const known = useConnections().find(({ id }) => id === props.connection.id);
  return <ConnectionContext value={known ?? props.connection}>{props.children}</ConnectionContext>;
};

/** The connection in this page's address. Only for pages below `[connection]/layout.tsx`. */
export const useConnection = (): ConnectionFacts => {
  const connection = useContext(ConnectionContext);
  if (!connection) throw new Error('useConnection needs a page under /{connection}');
  return connection;
};

/** Whether the catalog of this page's connection has a family of one of these roles. */
export const useHasRole = (...roles: readonly string[]): boolean => {
  const { roles: known } = useConnection();
  return roles.some((role) => known.includes(role));
};

/** Like `useConnection`, for components that global pages (jobs, audit) also use: null there. */
export const useConnectionOrNull = (): ConnectionFacts | null => useContext(ConnectionContext);
