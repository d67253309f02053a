'use client';

import { type ConnectionFacts, useConnection, useConnections } from '@/components/patterns/connection';

/** In the address while no connections are chosen to compare with: no id of one. */
export const ALL = '.';

/** This connection, then the others that have flags. */
export const useFlagConnections = (): ConnectionFacts[] => {
  const here = useConnection();
  const others = useConnections().filter(({ id, roles }) => id !== here.id && roles.includes('flag'));
  return [here, ...others];
};
