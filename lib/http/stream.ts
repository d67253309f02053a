import 'server-only';
import { parseInput } from '@/lib/command/validate';
import type { Contract, Input } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { namedRefusal } from '@/lib/redis/refusal';
import { endSpan } from '@/lib/trace';
import { PERMISSION_ENDED, REAUTHORISE_MS, stillAllowed } from './authorise';
import { acquire } from './concurrency';
import { rawInput } from './input';
import {
  authorisedContext,
  type ContextFor,
  checkCapable,
  declareRoute,
  type OperationRoute,
} from './routes';
import { shutdown } from './shutdown';

export type StreamEvent = 'point' | 'match' | 'progress' | 'message' | 'gap' | 'end' | 'error';

/** The sending side of a server-sent-events answer. */
export interface EventSink {
  send(event: StreamEvent, data: unknown, id?: string): void;
  /** Resolves when the client has read nearly everything or disconnected. Await it before sending much more. */
  drained(): Promise<void>;
  /** Aborts when the client disconnects, the permission ends or the process stops. */
  signal: AbortSignal;
  lastEventId: string | null;
}

const HEARTBEAT_MS = 15_000;
/** When an EventSource connects again. */
const RETRY_MS = 2000;
/** A client with more unread chunks than this is disconnected. */
const MAX_PENDING = 512;

/** The clients of a process that stops connect to another one, or to its successor: not all at the same moment. */
const retryAfterStop = (): string => `retry: ${Math.round(RETRY_MS * (0.5 + Math.random()))}\n\n`;

const headersOf = (requestId: string): Record<string, string> => ({
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  'x-request-id': requestId,
});

/** A stream of server-sent events, authorised like a read and checked again while it is open. */
export const streamRoute = <C extends Contract>(
  contract: C,
  serve: (ctx: ContextFor<C>, input: Input<C>, sink: EventSink) => Promise<void>,
): OperationRoute =>
  declareRoute(contract, async (request, params, requestId) => {
    const ctx = await authorisedContext(contract, request, params, requestId);
    const input = parseInput(contract, await rawInput(contract, request, params));
    await checkCapable(contract, ctx);
    // Next neither sends nor cancels the body of a HEAD request, so the stream would run without a reader.
    if (request.method === 'HEAD') return new Response(null, { headers: headersOf(requestId) });
    const ended = new AbortController();
    const signal = AbortSignal.any([request.signal, shutdown().signal, ended.signal]);
    const release = acquire(contract, ctx.actor, input);
    // The signal aborts however the stream ends.
    signal.addEventListener('abort', release, { once: true });
    if (signal.aborted) release();
    const encoder = new TextEncoder();
    const waiting: (() => void)[] = [];
    const wake = () => {
      for (const resolve of waiting.splice(0)) resolve();
    };
    signal.addEventListener('abort', wake, { once: true });
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          const write = (text: string) => {
            if (signal.aborted) return;
            if ((controller.desiredSize ?? 0) < -MAX_PENDING) ended.abort();
            else controller.enqueue(encoder.encode(text));
          };
          const sink: EventSink = {
            signal,
            drained: () =>
              signal.aborted || (controller.desiredSize ?? 1) > 0
                ? Promise.resolve()
                : new Promise((resolve) => waiting.push(resolve)),
            lastEventId: request.headers.get('last-event-id'),
            send: (event, data, id) =>
              write(`${id ? `id: ${id}\n` : ''}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
          };
          const heartbeat = setInterval(() => write(': \n\n'), HEARTBEAT_MS);
          const recheck = setInterval(async () => {
            if (await stillAllowed(contract, request, ctx.actor)) return;
            sink.send('end', { reason: PERMISSION_ENDED });
            ended.abort();
          }, REAUTHORISE_MS);
          const finish = () => {
            clearInterval(heartbeat);
            clearInterval(recheck);
            try {
              if (shutdown().signal.aborted) controller.enqueue(encoder.encode(retryAfterStop()));
              controller.close();
            } catch {
              // Already closed by the client.
            }
          };
          signal.addEventListener('abort', finish, { once: true });
          if (signal.aborted) finish();
          write(`retry: ${RETRY_MS}\n\n`);
          new Promise<void>((resolve) => resolve(serve(ctx, input, sink)))
            .catch((thrown: unknown) => {
              const error = namedRefusal(thrown);
              const problem =
                error instanceof Problem ? error : new Problem('internal', 'The stream failed.');
              sink.send('error', problem.toDocument(requestId));
            })
            .finally(() => ended.abort());
        },
        pull: wake,
        cancel: () => ended.abort(),
      },
      new CountQueuingStrategy({ highWaterMark: 16 }),
    );
    endSpan({ 'http.response.status_code': 200 });
    return new Response(body, { headers: headersOf(requestId) });
  });
