'use client';

import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '@/lib/api-client';
import { type Contract, type Result, touchedBy, type WireInput } from '@/lib/contract';

interface Options {
  /** With 0, the input is not cached after its drawer closes. */
  gcTime?: number;
}

/**
 * The mutation that sends a change, and then refetches what its contract touches. Also after a refusal, because the
 * displayed data may be old. `connection`: for a change on one Redis.
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
