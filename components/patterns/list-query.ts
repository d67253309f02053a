import { infiniteQueryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import { keepWithin } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import type { Contract, Result, WireInput } from '@/lib/contract';
import { cursorPages, pageAfter } from './cursor-pages';
import { refetchPagesEvery } from './refetch';

/** A contract with paged answers. */
export type ListContract = Contract<
  z.ZodType<unknown, { cursor?: string | undefined; limit?: unknown }>,
  z.ZodType<{ items: unknown[]; nextCursor: string | null }>
>;

interface Options<C extends ListContract> {
  connection: string;
  filter: Omit<WireInput<C>, 'cursor' | 'limit'>;
  everyMs: number;
}

/**
 * The pages of a list, with refetching. Its key consists of operation, connection and filter; the last answer stays
 * visible while the next filter's loads.
 */
export const listQuery = <C extends ListContract>(contract: C, { connection, filter, everyMs }: Options<C>) =>
  infiniteQueryOptions({
    queryKey: [contract.id, connection, filter],
    queryFn: ({ pageParam, signal }): Promise<Result<C> & { nextCursor: string | null }> =>
      call(contract, { ...filter, ...pageAfter(pageParam) } as WireInput<C>, { connection, signal }) as never,
    ...cursorPages,
    placeholderData: keepWithin([contract.id, connection]),
    refetchInterval: refetchPagesEvery(everyMs),
  });
