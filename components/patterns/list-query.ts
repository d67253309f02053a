import { infiniteQueryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import { call } from '@/lib/api-client';
import type { Contract, Result, WireInput } from '@/lib/contract';
import { cursorPages, pageAfter } from './cursor-pages';
import { keepWithin, queryKeyOf } from './query-key';
import { type Interval, refetchEvery, refetchPagesEvery } from './refetch';

/** A contract with paged answers. */
export type ListContract = Contract<
  z.ZodType<unknown, { cursor?: string | undefined; limit?: unknown }>,
  z.ZodType<{ items: unknown[]; nextCursor: string | null }>
>;

type PageOf<C extends ListContract> = Result<C> & { nextCursor: string | null };

interface Options<C extends ListContract> {
  /** Undefined for a list of the console's own data. */
  connection: string | undefined;
  filter: Omit<WireInput<C>, 'cursor' | 'limit'>;
  /** `false`: what a scan found stays for a while, and is read again only after a failure. */
  everyMs: Interval<Result<C>> | false;
  /** Whether a page is incomplete: it is soon read again, and no page follows it before. */
  isReading?: ((page: Result<C>) => boolean) | undefined;
}

const SCANNED_STALE_MS = 30_000;

/**
 * The pages of a list, with refetching. Its key consists of operation, connection and filter; the last answer stays
 * visible while the next filter's loads.
 */
export const listQuery = <C extends ListContract>(
  contract: C,
  { connection, filter, everyMs, isReading = () => false }: Options<C>,
) =>
  infiniteQueryOptions({
    queryKey: queryKeyOf(contract, connection, filter),
    queryFn: ({ pageParam, signal }): Promise<PageOf<C>> =>
      call(contract, { ...filter, ...pageAfter(pageParam) } as WireInput<C>, {
        ...(connection !== undefined && { connection }),
        signal,
      }) as never,
    ...cursorPages,
    getNextPageParam: (page: PageOf<C>) => (isReading(page) ? undefined : cursorPages.getNextPageParam(page)),
    placeholderData: keepWithin(queryKeyOf(contract, connection)),
    ...(everyMs === false
      ? { staleTime: SCANNED_STALE_MS, refetchInterval: refetchEvery(false) }
      : {
          refetchInterval: refetchPagesEvery(
            everyMs as Interval<unknown>,
            isReading as (page: unknown) => boolean,
          ),
        }),
  });
