import 'server-only';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isTracing, type TraceSpan, withSpan } from '@/lib/trace';

/** The page of an address such as `/users` or `/main/keys/…`; what follows it may name a key. */
const PAGE = /^\/(?:([a-z-]{1,32})$|[\w.-]+\/([a-z-]{1,32})(?=\/|$))/;
const FILE = /^\/_next\/|^\/(?!api\/)(grafana\/)?[\w.-]+\.\w{2,11}$/;

/** Whether an address is of a file, which is served without a span. */
export const isFile = (path: string): boolean => FILE.test(path);

/** The route of a page that was shown; null for others, which have whatever somebody typed. */
export const pageRoute = (path: string, status: number): string | null => {
  const [, own, page] = status === 200 ? (PAGE.exec(path) ?? []) : [];
  if (own) return `/${own}`;
  return page ? `/{connection}/${page}` : null;
};

const answered = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => response.once('close', resolve));

const describeAnswer = (span: TraceSpan, response: ServerResponse): void => {
  if (response.headersSent) span.set({ 'http.response.status_code': response.statusCode });
  if (response.statusCode >= 500) span.fail(String(response.statusCode));
};

/**
 * Serves a request within a span, which is named after its operation by `declareRoute`. The path itself is never
 * recorded: it may have keys and tokens. `path`: without the base path.
 */
export const traced = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  serve: () => void,
) => {
  if (!isTracing() || isFile(path)) return serve();
  const method = request.method ?? 'GET';
  const isPage = !/^\/api(\/|$)/.test(path);
  const parent = request.headers.traceparent;
  const options = { kind: 'server', parent: typeof parent === 'string' ? parent : undefined } as const;
  void withSpan(
    isPage ? `${method} page` : method,
    { 'http.request.method': method },
    async (span) => {
      const isOver = answered(response);
      serve();
      await isOver;
      describeAnswer(span, response);
      const route = isPage ? pageRoute(path, response.statusCode) : null;
      if (!route) return;
      span.name(`${method} ${route}`);
      span.set({ 'http.route': route });
    },
    options,
  ).catch(() => undefined);
};
