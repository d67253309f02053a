import 'server-only';
import { type Contract, pathParameters } from '@/lib/contract';
import { badInput, Problem } from '@/lib/errors';

const MEBIBYTE = 1024 * 1024;
/** A body that is too large is read to its end up to this: breaking off closes the line before the answer is sent. */
const MOST_DRAINED = 32 * MEBIBYTE;

const tooLarge = (limit: number): Problem =>
  new Problem('too_large', `The body is larger than ${Math.round(limit / MEBIBYTE)} MiB.`);

/** Reads at most `limit` bytes, whatever Content-Length says. */
const readBody = async (request: Request, limit: number): Promise<string> => {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit);
  if (!request.body) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size <= limit) chunks.push(value);
    else if (size > MOST_DRAINED) {
      await reader.cancel().catch(() => undefined);
      break;
    }
  }
  if (size > limit) throw tooLarge(limit);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new Problem('bad_input', 'The body is not UTF-8.', { cause });
  }
};

const jsonBody = async (request: Request, limit: number): Promise<Record<string, unknown>> => {
  const text = await readBody(request, limit);
  if (text.trim() === '') return {};
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw badInput([{ path: '', message: 'Send the body as application/json.' }]);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw badInput([{ path: '', message: 'The body is not valid JSON.' }]);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badInput([{ path: '', message: 'The body must be a JSON object.' }]);
  return body as Record<string, unknown>;
};

const queryOf = (url: URL): Record<string, string> => {
  const fields = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (fields.has(name)) throw badInput([{ path: name.slice(0, 100), message: 'Given more than once.' }]);
    fields.set(name, value);
  }
  // Every field becomes one of the object's own, `__proto__` too, and is refused by name like any unknown one.
  return Object.fromEntries(fields);
};

/** What a request says, before validation: path parameters, and the query of a GET or the body of a change. */
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
  const input = isGet ? query : await jsonBody(request, contract.maxBodyBytes ?? MEBIBYTE);
  for (const name of pathParameters(contract.path)) {
    if (Object.hasOwn(input, name)) throw badInput([{ path: name, message: 'This is part of the path.' }]);
    input[name] = params[name];
  }
  return input;
};
