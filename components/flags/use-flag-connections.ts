'use client';

import { type ConnectionFacts, useConnection, useConnections } from '@/components/patterns/connection';

/** This connection, then the others that have flags. */
export const useFlagConnections = (): ConnectionFacts[] => {
  const here = useConnection();
  const others = useConnections().filter(({ id, roles }) => id !== here.id && roles.includes('flag'));
  return [here, ...others];
};
