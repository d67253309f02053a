'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '@/lib/api-client';
import { undoContract } from '@/lib/audit/schema';
import type { WireInput } from '@/lib/contract';

/**
 * Undoes a change. Keys changed since are not touched and returned as conflicts. All queries are refetched, since only
 * the server knows what it changed.
 */
export const useUndo = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: WireInput<typeof undoContract>) => call(undoContract, input),
    onSettled: () => void client.invalidateQueries(),
  });
};
