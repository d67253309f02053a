import 'server-only';
import { type IncomingMessage, Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state';
import pLimit from 'p-limit';
import { peerHeader } from '@/lib/access/peer';
import { type Env, env } from '@/lib/configuration';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { processWide } from '@/lib/process-wide';
import { noteAnswer, noteServer } from './drain';
import { isOwnHost, sentHost } from './own-host';
import { served } from './served';
import { traced } from './traced';

/** Set on every answer, including those of Next and of Node's parser. Pages use a policy with a nonce (`proxy.ts`). */
const HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Probes need no credentials: their rate (800 a second) is limited, so that many of them do not delay calls. */
const PROBES = { atOnce: 4, eachMs: 5 };
const probes = pLimit(PROBES.atOnce);

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const succeeds = (work: () => unknown): boolean => {
  try {
    work();
    return true;
  } catch {
    return false;
  }
};

const isApi = (path: string, basePath: string): boolean =>
  path === `${basePath}/api` || path.startsWith(`${basePath}/api/`);

/** The path of a request as Next sees it: `..` is resolved, however it is encoded. */
const pathOf = ({ url = '' }: IncomingMessage): string =>
  url.startsWith('/') ? new URL(`http://localhost${url}`).pathname : url;

/** The operation of a health probe; undefined for other paths. */
const probeAt = (path: string, basePath: string): string | undefined =>
  ['/api/health', '/api/ready'].find((probe) => path === basePath + probe);

/** Whether a header was sent more than once. Node joins such values: a proxy may have added its own to a client's. */
const isSentTwice = ({ rawHeaders }: IncomingMessage, name: string | null | undefined): boolean =>
  name != null && rawHeaders.filter((header, at) => at % 2 === 0 && header.toLowerCase() === name).length > 1;

/**
 * Why a request is refused before Next sees it; null for others. Next answers some of these with 500 and loops on
 * others.
 */
const refusalOf = (request: IncomingMessage, configured: Env): Problem | null => {
  const { method = '', url = '' } = request;
  const { basePath } = configured;
  const path = pathOf(request);
  const bad = (detail: string) => new Problem('bad_input', detail);
  if (!METHODS.has(method)) return bad('This method is not accepted.');
  if (!path.startsWith('/')) return bad('The request target must be a path that begins with a slash.');
  if (!succeeds(() => decodeURIComponent(url.split('?', 1)[0]!)))
    return bad('The path is not valid percent-encoded UTF-8.');
  const { header } = configured;
  if (isSentTwice(request, header?.user) || isSentTwice(request, header?.groups))
    return bad('A header about the user was sent more than once: the proxy must replace it.');
  if (!succeeds(() => parseAndValidateFlightRouterState(request.headers['next-router-state-tree'])))
    return bad('The router state header cannot be read.');
  // Health probes send any Host. Scripts may use another name, too: they send a token, which no page of another origin
  // has.
  const byToken =
    path.startsWith(`${basePath}/api/v1/`) &&
    /^bearer /i.test(request.headers.authorization ?? '') &&
    sentHost(request) !== null;
  if (!probeAt(path, basePath) && !byToken && !isOwnHost(request, configured))
    return bad('Host is neither the address in NEXTAUTH_URL nor the one the console listens on.');
  // Images are served as they are; Next's route for resizing them cannot be switched off.
  if (path.startsWith(`${basePath}/_next/image`))
    return new Problem('not_found', 'Nothing was found at this path.');
  // Next answers a POST to a file with 500. In development its overlay posts to paths of its own.
  if (configured.production && !isApi(path, basePath) && method !== 'GET' && method !== 'HEAD')
    return new Problem('method_not_allowed', 'Pages and files accept GET and HEAD only.');
  return null;
};

/** The body and headers of a refusal: a problem document, or its detail as plain text. */
const answerOf = (problem: Problem, asDocument: boolean, status = problem.status) => {
  const requestId = newId();
  const body = asDocument
    ? JSON.stringify({ ...problem.toDocument(requestId), status })
    : `${problem.message}\n`;
  const headers = {
    'Content-Type': asDocument ? 'application/problem+json' : 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  return { body, headers };
};

const refuse = (request: IncomingMessage, response: ServerResponse, problem: Problem): void => {
  const { body, headers } = answerOf(problem, isApi(pathOf(request), env().basePath));
  if (problem.status === 405) response.setHeader('Allow', 'GET, HEAD');
  response.writeHead(problem.status, headers).end(body);
};

/**
 * Answers a probe without Next, which takes several times as long. False for other requests, or while the console
 * starts.
 */
const answersProbe = (request: IncomingMessage, response: ServerResponse): boolean => {
  const [answer, path] = [served.made(), probeAt(pathOf(request), env().basePath)];
  if (!answer || !path || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
  void probes(async () => {
    const answered = await answer(new Request(`http://localhost${path}`));
    const body = Buffer.from(await answered.arrayBuffer());
    const headers = { ...Object.fromEntries(answered.headers), 'content-length': body.length };
    response.writeHead(answered.status, headers).end(body);
    await sleep(PROBES.eachMs);
  });
  return true;
};

const PARSER_STATUS: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** A request that Node could not parse has no response object, so the refusal is written to the socket. */
const refuseUnparsed = (code: string | undefined, socket: Socket, open?: ServerResponse): void => {
  if (!socket.writable || code === 'ECONNRESET' || (open?.headersSent && !open.writableEnded)) {
    socket.destroy();
    return;
  }
  const status = PARSER_STATUS[code ?? ''] ?? 400;
  const problem = new Problem('bad_input', 'This is not a valid HTTP request.');
  const { body, headers } = answerOf(problem, true, status);
  const lines = Object.entries({ ...HEADERS, ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
};

/** Handles what Node would answer without our headers: a missing Host, an unknown Expect, CONNECT and parser errors. */
const handleProtocolErrors = (server: Server, open: WeakMap<Socket, ServerResponse>): void => {
  Object.assign(server, { requireHostHeader: false });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  );
  server.on('connect', (_request: IncomingMessage, socket) => refuseUnparsed(undefined, socket as Socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuseUnparsed(error.code, socket as Socket, open.get(socket as Socket)),
  );
};

/**
 * Checks every request to this process's HTTP servers before Next sees it, and tells `peer.ts` who sent it. The only patch
 * of Node: Next makes its server itself, and no documented hook of either can refuse a request.
 */
export const guardIncoming = processWide('incoming', () => {
  const emit = Server.prototype.emit as (event: string | symbol, ...args: unknown[]) => boolean;
  const setPeer = peerHeader();
  const handled = new WeakSet<Server>();
  const open = new WeakMap<Socket, ServerResponse>();
  Server.prototype.emit = function (this: Server, event: string | symbol, ...args: unknown[]): boolean {
    if (event === 'connection' && !handled.has(this)) {
      handled.add(this);
      noteServer(this);
      handleProtocolErrors(this, open);
    }
    if (event === 'request') {
      const [request, response] = args as [IncomingMessage, ServerResponse];
      open.set(request.socket, response);
      noteAnswer(response);
      setPeer(request);
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
      const refusal = refusalOf(request, env());
      if (refusal) {
        refuse(request, response, refusal);
        return true;
      }
      if (answersProbe(request, response)) return true;
      const path = pathOf(request).slice(env().basePath.length);
      traced(request, response, path, () => emit.call(this, event, ...args));
      return true;
    }
    // WebSockets are only used by Next's reloading of pages in development.
    if (event === 'upgrade' && env().production) {
      const [, socket] = args as [IncomingMessage, Socket];
      refuseUnparsed(undefined, socket);
      return true;
    }
    return emit.call(this, event, ...args);
  };
  return true;
});
