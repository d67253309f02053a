'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '@/lib/api-client';
import { undoContract } from '@/lib/audit/schema';
import type { WireInput } from '@/lib/contract';

/**
 * Takes a change back; what was changed since is answered as a conflict and left alone. Everything is read anew, since
 * what it touched is the server's to know.
 */
export const useUndo = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: WireInput<typeof undoContract>) => call(undoContract, input),
    onSettled: () => void client.invalidateQueries(),
  });
};
