'use client';

import { createContext, type ReactNode, useContext } from 'react';
import { useUnmoved } from './use-pressed';

/**
 * What is unreachable: the Redis of the shown connection or some of its primaries, the console's own store, or the
 * console itself.
 */
export interface Outage {
  of: 'redis' | 'part' | 'store' | 'console';
  /** Why, in the server's words. */
  reason: string | null;
}

const OutageContext = createContext<Outage | null>(null);

export const OutageProvider = ({ outage, children }: { outage: Outage | null; children: ReactNode }) => (
  <OutageContext value={useUnmoved(outage)}>{children}</OutageContext>
);

/** The outage that the shell's banner shows now; null while everything can be reached. */
export const useOutage = (): Outage | null => useContext(OutageContext);
