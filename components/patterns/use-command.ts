'use client';

import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '@/lib/api-client';
import { type Contract, type Result, touchedBy, type WireInput } from '@/lib/contract';

interface Options {
  /** 0: what was typed is not cached after its drawer closes. */
  gcTime?: number;
}

/**
 * A change: the mutation that sends it, and refetches what its contract says that it touches. Also after a refusal, because
 * what was shown may be old. `connection`: of a change on one Redis.
 */
export const useCommand = <C extends Contract>(
  contract: C,
  connection?: string,
  options: Options = {},
): UseMutationResult<Result<C>, Error, WireInput<C>> => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: WireInput<C>) =>
      call(contract, input, connection === undefined ? {} : { connection }),
    onSettled: () =>
      void client.invalidateQueries({
        predicate: ({ queryKey: [operation, of] }) => touchedBy(contract, operation, of, connection),
      }),
    ...options,
  });
};
