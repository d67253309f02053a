'use client';

import { useMutation } from '@tanstack/react-query';
import { call } from '@/lib/api-client';
import type { Contract, Result, WireInput } from '@/lib/contract';
import { useConnection } from './connection';
import { useRefetchTouched } from './use-command';

/** Reads plaintext values; each read is audited. The answer goes to `take` only, never into a cache. */
export const useSecretRead = <C extends Contract>(
  contract: C,
  take: (answer: Result<C>, input: WireInput<C>) => void,
) => {
  const { id: connection } = useConnection();
  const refetch = useRefetchTouched();
  return useMutation({
    mutationFn: async (input: WireInput<C>): Promise<void> =>
      take(await call(contract, input, { connection }), input),
    onSettled: () => void refetch(contract, connection),
    gcTime: 0,
  });
};
