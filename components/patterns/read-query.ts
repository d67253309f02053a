import { queryOptions } from '@tanstack/react-query';
import { call, callAll } from '@/lib/api-client';
import type { Contract, WireInput } from '@/lib/contract';
import type { ListContract } from './list-query';
import { queryKeyOf } from './query-key';

/** `null` for an operation on the console's own data. */
type Connection = string | null;

const optionsOf = (connection: Connection) => (connection === null ? {} : { connection });

/** One answer. Its key consists of operation, connection and input. */
export const readQuery = <C extends Contract>(contract: C, connection: Connection, input: WireInput<C>) =>
  queryOptions({
    queryKey: queryKeyOf(contract, connection, input as object),
    queryFn: ({ signal }) => call(contract, input, { ...optionsOf(connection), signal }),
  });

/** All rows of a list. */
export const readAllQuery = <C extends ListContract>(contract: C, connection: Connection) =>
  queryOptions({
    queryKey: queryKeyOf(contract, connection, {}),
    queryFn: ({ signal }) => callAll(contract, {} as WireInput<C>, { ...optionsOf(connection), signal }),
  });
