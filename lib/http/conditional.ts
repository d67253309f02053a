import 'server-only';
import { createHash } from 'node:crypto';
import { parseInput } from '@/lib/command/validate';
import type { Contract, Input, Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { rawInput } from './input';
import { json } from './respond';
import { authorisedContext, type ContextFor, type DeclaredRoute, declareRoute } from './routes';

type Parameters = Record<string, string | undefined>;

interface Terms<C extends Contract> {
  /** The entity tag of an answer, quoted. */
  tag?(answer: Result<C>): string;
  /** What is said to a request that is not accepted, where a protocol has words of its own for that. */
  refuse?(problem: Problem, params: Parameters): Problem;
}

/** Whether one of the tags of an If-None-Match is this one; weakly compared, as RFC 9110 has it there. */
const matches = (header: string | null, tag: string): boolean =>
  (header ?? '').split(',').some((each) => {
    const text = each.trim().replace(/^W\//, '');
    return text === tag || text === '*';
  });

/** May be kept, and must be asked about each time; never by a cache that others use. */
const REVALIDATE = { 'cache-control': 'private, no-cache', vary: 'authorization, cookie' };

/** A read whose input is a body: authorised and validated like any, answered 304 when nothing changed. */
export const conditionalRoute = <C extends Contract>(
  contract: C,
  read: (ctx: ContextFor<C>, input: Input<C>) => Promise<Result<C>>,
  { tag, refuse }: Terms<C> = {},
): DeclaredRoute =>
  declareRoute(contract, async (request, params, requestId) => {
    const ctx = await authorisedContext(contract, request, params, requestId);
    let input: Input<C>;
    try {
      input = parseInput(contract, await rawInput(contract, request, params));
    } catch (error) {
      throw refuse && error instanceof Problem ? refuse(error, params) : error;
    }
    const answer = contract.result.parse(await read(ctx, input)) as Result<C>;
    if (!tag) return json(answer, contract.status ?? 200, requestId);
    const headers = { ...REVALIDATE, etag: tag(answer), 'x-request-id': requestId };
    if (matches(request.headers.get('if-none-match'), headers.etag))
      return new Response(null, { status: 304, headers });
    return Response.json(answer, { status: contract.status ?? 200, headers });
  });

/** A document that is the same for everybody and as long as the process lives: made at the first request. */
export const documentRoute = (make: () => unknown): DeclaredRoute => {
  let made: { text: string; etag: string } | null = null;
  return declareRoute(null, async (request, _params, requestId) => {
    if (!made) {
      const text = JSON.stringify(make());
      made = { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
    }
    const headers = { 'cache-control': 'no-cache', etag: made.etag, 'x-request-id': requestId };
    if (matches(request.headers.get('if-none-match'), made.etag))
      return new Response(null, { status: 304, headers });
    return new Response(made.text, { headers: { ...headers, 'content-type': 'application/json' } });
  });
};
