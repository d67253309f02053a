import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** One export, as a collector of traces received it. */
export interface Export {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface Span {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  links?: { traceId: string; spanId: string }[];
  attributes: Attribute[];
  status: { code?: number };
}
interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number; arrayValue?: { values: { stringValue: string }[] } };
}
interface Batch {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[];
}

const SERVER = `
const { createServer } = require('node:http');
const { parentPort } = require('node:worker_threads');
let status = 200;
parentPort.on('message', (next) => { status = next; });
const server = createServer(async (request, response) => {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part;
  parentPort.postMessage({ path: request.url, headers: request.headers, body });
  if (status !== null) response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

export interface Collector {
  url: string;
  /** Since `clear`. */
  exports: Export[];
  clear(): void;
  /** The spans of exports as JSON. */
  spans(): Span[];
  resources(): Record<string, unknown>[];
  /** The status of further answers; null: none. */
  answerWith(status: number | null): void;
  close(): Promise<unknown>;
}

export const attributesOf = ({ attributes }: Pick<Span, 'attributes'>): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.arrayValue?.values.map(({ stringValue }) => stringValue) ?? value.stringValue ?? value.intValue,
    ]),
  );

/** A collector by OTLP over HTTP, in a thread of its own: a test may have changed how servers of its thread work. */
export const startCollector = async (): Promise<Collector> => {
  const worker = new Worker(SERVER, { eval: true });
  const [port] = (await once(worker, 'message')) as [number];
  const exports: Export[] = [];
  worker.on('message', (received: Export) => exports.push(received));
  const batches = () =>
    exports
      .filter(({ body }) => body.startsWith('{'))
      .flatMap(({ body }) => (JSON.parse(body) as Batch).resourceSpans);
  return {
    url: `http://127.0.0.1:${port}`,
    exports,
    clear: () => void exports.splice(0),
    spans: () => batches().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    resources: () => batches().map(({ resource }) => attributesOf(resource)),
    answerWith: (status) => worker.postMessage(status),
    close: () => worker.terminate(),
  };
};
