'use client';

import {
  type UseMutationOptions,
  type UseMutationResult,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { ApiProblem, call } from '@/lib/api-client';
import { type Contract, isConnectionPath, type Result, touchedBy, type WireInput } from '@/lib/contract';
import { useConnectionOrNull } from './connection';

/** `gcTime` 0: what was typed or answered is not cached after its drawer closes. */
type Options<C extends Contract> = Pick<
  UseMutationOptions<Result<C>, Error, WireInput<C>>,
  'gcTime' | 'onSuccess'
>;

/** `operation`: its operationId; its drawer says where that cannot work. */
export type Command<R, Input> = UseMutationResult<R, Error, Input> & { operation?: string | undefined };

/** Keeps the input of a change that needs approval with its refusal, so that a user can ask for it. */
const rememberChange = (error: unknown, operation: string, input: object, connection: string): void => {
  if (error instanceof ApiProblem && error.document.askable)
    error.asks = { operation, input: { ...input }, connection };
};

/** Refetches what a change touches: after a refusal too, because the displayed data may be old. */
export const useRefetchTouched = () => {
  const client = useQueryClient();
  return (contract: Contract, connection?: string): Promise<void> =>
    client.invalidateQueries({
      predicate: ({ queryKey: [operation, of] }) => touchedBy(contract, operation, of, connection),
    });
};

/**
 * The mutation that sends a change, and then refetches what its contract touches, also after a refusal. A change on one
 * Redis is sent to that of the page, or to `other`.
 */
export const useCommand = <C extends Contract>(
  contract: C,
  other?: string,
  options: Options<C> = {},
): Command<Result<C>, WireInput<C>> => {
  const here = useConnectionOrNull()?.id;
  const connection = other ?? (isConnectionPath(contract.path) ? here : undefined);
  const refetch = useRefetchTouched();
  const mutation = useMutation({
    mutationFn: (input: WireInput<C>) =>
      call(contract, input, connection === undefined ? {} : { connection }).catch((error: unknown) => {
        if (connection !== undefined) rememberChange(error, contract.id, input as object, connection);
        throw error;
      }),
    onSettled: () => void refetch(contract, connection),
    ...options,
  });
  return { ...mutation, ...(connection !== undefined && { operation: contract.id }) };
};
