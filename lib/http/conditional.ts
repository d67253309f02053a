import 'server-only';
import { createHash } from 'node:crypto';
import { parseInput } from '@/lib/command/validate';
import type { Contract, Input, Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { rawInput } from './input';
import { json } from './respond';
import {
  authorisedContext,
  type ContextFor,
  checkCapable,
  declareRoute,
  type OperationRoute,
  type Parameters,
  type RouteHandler,
} from './routes';

interface Terms<C extends Contract> {
  /** The entity tag of an answer, quoted. */
  tag?(answer: Result<C>): string;
  /** Turns an input problem into the answer a protocol prescribes (OFREP). */
  refuse?(problem: Problem, params: Parameters): Problem;
}

/** Whether an If-None-Match header contains this tag; compared weakly (RFC 9110, 13.1.2). */
const matches = (header: string | null, tag: string): boolean =>
  (header ?? '').split(',').some((entry) => {
    const text = entry.trim().replace(/^W\//, '');
    return text === tag || text === '*';
  });

/** The client may store the answer and has to revalidate it each time; shared caches may not store it. */
const REVALIDATE = { 'cache-control': 'private, no-cache', vary: 'authorization, cookie' };

/** A read with an entity tag: authorised and validated like any other, answered with 304 when nothing changed. */
export const conditionalRoute = <C extends Contract>(
  contract: C,
  read: (ctx: ContextFor<C>, input: Input<C>) => Promise<Result<C>>,
  { tag, refuse }: Terms<C> = {},
): OperationRoute =>
  declareRoute(contract, async (request, params, requestId) => {
    const ctx = await authorisedContext(contract, request, params, requestId);
    let input: Input<C>;
    try {
      input = parseInput(contract, await rawInput(contract, request, params));
    } catch (error) {
      throw refuse && error instanceof Problem ? refuse(error, params) : error;
    }
    await checkCapable(contract, ctx);
    const answer = contract.result.parse(await read(ctx, input)) as Result<C>;
    if (!tag) return json(answer, contract.status ?? 200, requestId);
    const headers = { ...REVALIDATE, etag: tag(answer), 'x-request-id': requestId };
    if (matches(request.headers.get('if-none-match'), headers.etag))
      return new Response(null, { status: 304, headers });
    return Response.json(answer, { status: contract.status ?? 200, headers });
  });

/** A public document that does not change while the process lives, generated at the first request. */
export const documentRoute = (make: () => unknown): RouteHandler => {
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
