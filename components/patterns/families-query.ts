import { queryOptions } from '@tanstack/react-query';
import { familyContracts } from '@/lib/families/schema';
import { readAllQuery } from './read-query';

const COUNTS_MS = 15_000;

/** The catalog's families with the sampler's last count. */
export const familiesQuery = (connection: string) =>
  queryOptions({
    ...readAllQuery(familyContracts.list, connection),
    refetchInterval: COUNTS_MS,
  });
