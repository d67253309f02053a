import { queryOptions } from '@tanstack/react-query';
import { call, callAll } from '@/lib/api-client';
import type { Contract, WireInput } from '@/lib/contract';
import { type ListContract, listKey } from './list-query';

/** `null` for an operation on the console's own data. */
type Connection = string | null;

const optionsOf = (connection: Connection) => (connection === null ? {} : { connection });

const keyOf = (contract: Contract, connection: Connection, input: object) => [
  ...listKey(contract, connection ?? undefined),
  input,
];

/** One answer. Its key consists of operation, connection and input. */
export const readQuery = <C extends Contract>(contract: C, connection: Connection, input: WireInput<C>) =>
  queryOptions({
    queryKey: keyOf(contract, connection, input as object),
    queryFn: ({ signal }) => call(contract, input, { ...optionsOf(connection), signal }),
  });

/** All rows of a list. */
export const readAllQuery = <C extends ListContract>(contract: C, connection: Connection) =>
  queryOptions({
    queryKey: keyOf(contract, connection, {}),
    queryFn: ({ signal }) => callAll(contract, {} as WireInput<C>, { ...optionsOf(connection), signal }),
  });
