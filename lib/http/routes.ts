import 'server-only';
import { clientAddress, knownAddress } from '@/lib/access/peer';
import { requireCapable } from '@/lib/command/capable';
import { type ConsoleContext, consoleContext, type ReadContext, readContext } from '@/lib/command/context';
import type { AnyCommand } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import { parseInput } from '@/lib/command/validate';
import type { ByScope, Contract, Input, Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { describeSpan } from '@/lib/trace';
import {
  checkOrigin,
  checkPermission,
  connectionOf,
  identify,
  PERMISSION_ENDED,
  REAUTHORISE_MS,
  stillAllowed,
} from './authorise';
import { acquireLate, closeRequest, refusalTurn, senderOf, withinLimits } from './concurrency';
import { rawInput } from './input';
import { logRequest } from './request-log';
import { countRequest } from './request-metrics';
import { json, problemResponse } from './respond';
import { waitForUpgrade } from './upgrade-wait';

export type Parameters = Record<string, string | undefined>;

/** The second argument of a Next route handler. Parameters are decoded. */
export interface RouteParameters {
  params: Promise<Parameters>;
}

export type RouteHandler = (request: Request, route: RouteParameters) => Promise<Response>;

/** The handler of an operation, and its command if it is a change. */
export type OperationRoute = RouteHandler & { contract: Contract; command?: AnyCommand };

/** nginx's status for a client that disconnected; nobody receives it. */
const CLIENT_GONE = 499;

export type ContextFor<C extends Contract> = ByScope<C, ReadContext, ConsoleContext>;

/** A route handler whose errors become problem documents with the request's id. `contract` is null for routes without one. */
export const declareRoute = <C extends Contract | null>(
  contract: C,
  handle: (request: Request, params: Parameters, requestId: string) => Promise<Response>,
): RouteHandler & { contract: C } => {
  const answer = async (request: Request, route: RouteParameters, requestId: string): Promise<Response> => {
    try {
      return await handle(request, await route.params, requestId);
    } catch (error) {
      // The client disconnected and the work was aborted: not an error.
      if (request.signal.aborted && error === request.signal.reason)
        return new Response(null, { status: CLIENT_GONE });
      await refusalTurn(request);
      return problemResponse(error, requestId);
    }
  };
  const counted: RouteHandler = async (request, route) => {
    const [beganAt, requestId, operation] = [performance.now(), newId(), contract?.id ?? null];
    describeSpan({ 'http.route': contract?.path ?? null, 'keyward.request.id': requestId }, operation);
    try {
      await waitForUpgrade(request);
      const response = await answer(request, route, requestId);
      countRequest(operation, response.status, beganAt);
      const [user, durationMs] = [senderOf(request), Math.round(performance.now() - beganAt)];
      logRequest({ requestId, operation, user, status: response.status, durationMs });
      return response;
    } finally {
      closeRequest(request);
    }
  };
  return Object.assign(counted, { contract });
};

/** Authorises a request and makes the context for a read. */
export const authorisedContext = async <C extends Contract>(
  contract: C,
  request: Request,
  params: Parameters,
  requestId: string,
): Promise<ContextFor<C>> => {
  const actor = await identify(contract, request);
  checkOrigin(contract, request);
  const connection = connectionOf(contract, params);
  await checkPermission(contract, actor, connection?.config.id ?? null, requestId);
  const caller = { actor, requestId, address: knownAddress(request.headers), signal: request.signal };
  return (connection ? readContext(caller, connection) : consoleContext(caller)) as ContextFor<C>;
};

/** Throws a 503 `Problem` where our Redis user lacks permissions that a read needs. */
export const checkCapable = async <C extends Contract>(contract: C, ctx: ContextFor<C>): Promise<void> => {
  if ('connection' in ctx) await requireCapable(contract.id, ctx.connection, ctx.catalog);
};

/** A read: authorise, validate, read. The answer contains only what the contract declares. */
export const readRoute = <C extends Contract>(
  contract: C,
  read: (ctx: ContextFor<C>, input: Input<C>) => Promise<Result<C>>,
): OperationRoute =>
  declareRoute(contract, async (request, params, requestId) => {
    const first = await authorisedContext(contract, request, params, requestId);
    const raw = await rawInput(contract, request, params);
    // A body may arrive slowly, and the user may have been disabled meanwhile.
    const isGet = contract.method === 'GET';
    const ctx = isGet ? first : await authorisedContext(contract, request, params, requestId);
    const input = parseInput(contract, raw);
    await checkCapable(contract, ctx);
    const call = { contract, actor: ctx.actor, input, signal: request.signal };
    const result = await withinLimits(call, () => read(ctx, input));
    return json(contract.result.parse(result), contract.status ?? 200, requestId);
  });

/** A change, executed by `runCommand`. */
export const commandRoute = (command: AnyCommand): OperationRoute => {
  const { contract } = command;
  const handler = declareRoute(contract, async (request, params, requestId) => {
    const sender = await identify(contract, request);
    checkOrigin(contract, request);
    const connection = connectionOf(contract, params);
    // Before the body is read: callers without the permission get no validation errors.
    await checkPermission(contract, sender, connection?.config.id ?? null, requestId);
    const raw = await rawInput(contract, request, params);
    // A body may arrive slowly, and the user may have been disabled or got another role meanwhile.
    const actor = await identify(contract, request);
    const address = knownAddress(request.headers);
    const call = { actor, requestId, address, connection, raw, signal: request.signal };
    const limited = { contract, actor, input: raw, signal: request.signal };
    const result = await withinLimits(limited, () => runCommand(command, call));
    return json(contract.result.parse(result), statusOf(contract, result), requestId);
  });
  return Object.assign(handler, { command });
};

const statusOf = (contract: Contract, result: unknown): number =>
  contract.mayQueue && 'jobId' in (result as object) ? 202 : (contract.status ?? 200);

export interface PublicRequest extends ConsoleContext {
  /** The client's address, for throttling. */
  address: string;
}

/** An operation without credentials. */
export const publicRoute = <C extends Contract>(
  contract: C,
  answer: (ctx: PublicRequest, input: Input<C>) => Promise<Result<C>>,
): OperationRoute =>
  declareRoute(contract, async (request, params, requestId) => {
    const ctx = (await authorisedContext(contract, request, params, requestId)) as ConsoleContext;
    const input = parseInput(contract, await rawInput(contract, request, params));
    const result = await answer({ ...ctx, address: clientAddress(request.headers) }, input);
    return json(contract.result.parse(result), contract.status ?? 200, requestId);
  });

/** A read that answers with text, of the contract's content type. */
export const textRoute = <C extends Contract>(
  contract: C,
  read: (ctx: ContextFor<C>, input: Input<C>) => Promise<string>,
): OperationRoute =>
  declareRoute(contract, async (request, params, requestId) => {
    const ctx = await authorisedContext(contract, request, params, requestId);
    const input = parseInput(contract, await rawInput(contract, request, params));
    await checkCapable(contract, ctx);
    const call = { contract, actor: ctx.actor, input, signal: request.signal };
    const text = await withinLimits(call, () => read(ctx, input));
    const headers = { 'content-type': contract.contentType ?? 'text/plain; charset=utf-8' };
    return new Response(text, {
      headers: { ...headers, 'cache-control': 'no-store', 'x-request-id': requestId },
    });
  });

export interface Download {
  /** Text in parts, each of which is quick to make. */
  body: AsyncIterable<string> | Iterable<string>;
  contentType: string;
  fileName: string;
}

/**
 * Checks the permission during a download. The download fails if it was withdrawn, so that the client does not take a
 * truncated file for complete.
 */
async function* whileAllowed(
  body: Download['body'],
  isAllowed: () => Promise<boolean>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let checkedAt = Date.now();
  for await (const part of body) {
    if (Date.now() - checkedAt >= REAUTHORISE_MS) {
      if (!(await isAllowed())) throw new Problem('unauthenticated', PERMISSION_ENDED);
      checkedAt = Date.now();
    }
    yield encoder.encode(part);
  }
}

/** Calls `ended` when reading ends, for whatever reason, also before the first part. */
const streamOf = (parts: AsyncGenerator<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next().catch((error: unknown) => {
        ended();
        throw error;
      });
      if (!done) return controller.enqueue(value);
      ended();
      controller.close();
    },
    async cancel() {
      ended();
      await parts.return(undefined);
    },
  });

/** A read that answers with a streamed file. */
export const downloadRoute = <C extends Contract>(
  contract: C,
  read: (ctx: ContextFor<C>, input: Input<C>) => Promise<Download> | Download,
): OperationRoute =>
  declareRoute(contract, async (request, params, requestId) => {
    const ctx = await authorisedContext(contract, request, params, requestId);
    const input = parseInput(contract, await rawInput(contract, request, params));
    await checkCapable(contract, ctx);
    const release = await acquireLate({ contract, actor: ctx.actor, input, signal: request.signal });
    // If the client disconnects before the first part, nothing else releases the call.
    request.signal.addEventListener('abort', release, { once: true });
    const { body, contentType, fileName } = await Promise.resolve(read(ctx, input)).catch(
      (error: unknown) => {
        release();
        throw error;
      },
    );
    const disposition = `attachment; filename="${fileName}"`;
    const headers = {
      'content-type': contentType,
      'content-disposition': disposition,
      'cache-control': 'no-store',
    };
    const isAllowed = () => stillAllowed(contract, request, ctx.actor);
    return new Response(streamOf(whileAllowed(body, isAllowed), release), {
      headers: { ...headers, 'x-request-id': requestId },
    });
  });
