'use client';

import { type QueryKey, useQueryClient } from '@tanstack/react-query';

/** Refetches the queries that a change may have affected. */
export const useRefetch = (...keys: QueryKey[]) => {
  const client = useQueryClient();
  return (): void => {
    for (const queryKey of keys) void client.invalidateQueries({ queryKey });
  };
};
