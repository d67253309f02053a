'use client';

import { type QueryKey, useQueryClient } from '@tanstack/react-query';

/** Reads anew what a change may have touched. */
export const useReadAnew = (...keys: QueryKey[]) => {
  const client = useQueryClient();
  return (): void => {
    for (const queryKey of keys) void client.invalidateQueries({ queryKey });
  };
};
