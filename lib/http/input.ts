import 'server-only';
import { type Contract, MAX_BODY_BYTES, pathParameters } from '@/lib/contract';
import { badField, badInput } from '@/lib/errors';
import { jsonBody } from './json-body';

const queryOf = (url: URL): Record<string, string> => {
  const fields = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (fields.has(name)) throw badField(name.slice(0, 100), 'This was sent more than once.');
    fields.set(name, value);
  }
  // `fromEntries` makes even `__proto__` an own field, which is then refused by name like any unknown field.
  return Object.fromEntries(fields);
};

/** The input of a request before validation: path parameters, and the query of a GET or the body of other methods. */
export const rawInput = async (
  contract: Contract,
  request: Request,
  params: Record<string, string | undefined>,
): Promise<Record<string, unknown>> => {
  const query = queryOf(new URL(request.url));
  const isGet = contract.method === 'GET';
  if (!isGet && Object.keys(query).length > 0)
    throw badInput(
      Object.keys(query).map((name) => ({
        path: name.slice(0, 100),
        message: 'Send this in the body, not the query.',
      })),
    );
  const input = isGet ? query : await jsonBody(request, contract.maxBodyBytes ?? MAX_BODY_BYTES);
  for (const name of pathParameters(contract.path)) {
    if (Object.hasOwn(input, name)) throw badField(name, 'This is part of the path.');
    input[name] = params[name];
  }
  return input;
};
