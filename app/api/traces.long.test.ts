import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { urlOf } from '@/lib/api-client';
import { forgetEnv } from '@/lib/configuration';
import { registerDomains } from '@/lib/domains/all';
import { handleRequest } from '@/lib/domains/interface';
import { familyContracts } from '@/lib/families/schema';
import { flagContracts } from '@/lib/flags/schema';
import { guardIncoming } from '@/lib/http/incoming';
import { served } from '@/lib/http/served';
import { closeQueue } from '@/lib/jobs/queue';
import { startRunner } from '@/lib/jobs/runner';
import { closeConnections } from '@/lib/redis/connections';
import { closeStore, store } from '@/lib/redis/store';
import { tracing } from '@/lib/trace';
import { startTracing } from '@/lib/tracing/start';
import { attributesOf, type Collector, type Span, startCollector } from '@/scripts/testing/collector';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { CONNECTION, configureInterface, ROOT, ROOT_TOKEN } from '@/scripts/testing/interface';

const KEY_NAME = 'FEATURE_NOBODY_MAY_READ';
const COLLECTOR_TOKEN = 'the-token-of-the-collector';

let collector: Collector;
let server: Server;
let test: TestContext;

const named = (name: string): Span | undefined => collector.spans().find((span) => span.name === name);
const inside = (parent: Span) =>
  collector
    .spans()
    .filter((span) => span.parentSpanId === parent.spanId)
    .map(attributesOf);
/** Everything that was exported. */
const sent = (): string => JSON.stringify(collector.exports.map(({ path, body }) => [path, body]));

/** Restarts tracing, as in a process with these variables. */
const trace = async (variables: Record<string, string> = {}): Promise<void> => {
  for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name];
  Object.assign(process.env, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${COLLECTOR_TOKEN}`,
    OTEL_BSP_SCHEDULE_DELAY: '20',
    ...variables,
  });
  forgetEnv();
  tracing.forget();
  await startTracing();
};

beforeAll(async () => {
  collector = await startCollector();
  configureInterface();
  test = await testContext();
  await trace();
  // Their clients were created before tracing started.
  closeConnections();
  closeStore();
  registerDomains();
  guardIncoming();
  served.replace(handleRequest);
  server = createServer(async (request, response) => {
    const body = request.method === 'GET' ? null : await text(request);
    const headers = request.headers as Record<string, string>;
    const url = `http://${request.headers.host}${request.url}`;
    const asked = new Request(url, { method: request.method ?? 'GET', headers, body });
    const answer = await served()(asked);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(async () => {
  await test.empty();
  await tracing().flush();
  collector.answerWith(200);
  collector.clear();
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  tracing.forget();
  await closeQueue();
  closeConnections();
  await test.close();
  server.closeAllConnections();
  await collector.close();
});

const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const headers = { ...ROOT, ...(init.body ? { 'content-type': 'application/json' } : {}), ...init.headers };
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { ...init, headers });
};
const flags = (headers: Record<string, string> = {}) =>
  call(urlOf(flagContracts.list, {}, CONNECTION), { headers });

it('exports a request with its calls by server, in the trace of its caller, and nothing secret', async () => {
  await test.redis.set(`env_vars:${KEY_NAME}`, 'true');
  const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
  const answer = await flags({ traceparent: `00-${caller.traceId}-${caller.spanId}-01` });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(KEY_NAME)]);
  await expect.poll(() => named('flags.list')).toBeTruthy();
  const request = named('flags.list')!;
  expect(request).toMatchObject({ kind: 2, traceId: caller.traceId, parentSpanId: caller.spanId });
  expect(attributesOf(request)).toMatchObject({
    'http.request.method': 'GET',
    'http.route': flagContracts.list.path,
    'http.response.status_code': 200,
    'keyward.request.id': answer.headers.get('x-request-id'),
    'user.roles': ['admin'],
  });
  const calls = inside(request);
  const ports = calls.map((attributes) => attributes['server.port']);
  expect(ports).toContain(test.redis.options.port);
  expect(ports).toContain(test.storeRedis.options.port);
  for (const attributes of calls) {
    expect(attributes['db.system.name']).toBe('redis');
    expect(attributes['db.operation.name']).toMatch(/^(PIPELINE )?[A-Z_]+$/);
  }
  expect(collector.resources()[0]).toMatchObject({ 'service.name': 'keyward' });
  expect(collector.exports[0]).toMatchObject({
    path: '/v1/traces',
    headers: { authorization: `Bearer ${COLLECTOR_TOKEN}` },
  });
  for (const secret of [KEY_NAME, 'env_vars', ROOT_TOKEN, COLLECTOR_TOKEN])
    expect(sent()).not.toContain(secret);
});

it('exports a job with a link to the request that enqueued it', async () => {
  for (let i = 0; i < 20; i++) await test.redis.set(`author:id:secret-${i}`, 'x');
  const body = JSON.stringify({ family: 'discours.author-id' });
  const answer = await call(urlOf(familyContracts.invalidate, {}, CONNECTION), { method: 'POST', body });
  expect(answer.status).toBe(202);
  const runner = startRunner(store());
  try {
    await expect.poll(() => named('job families.invalidate')).toBeTruthy();
  } finally {
    await runner.close();
  }
  await expect.poll(() => named('families.invalidate')).toBeTruthy();
  const [job, request] = [named('job families.invalidate')!, named('families.invalidate')!];
  expect(job.links).toMatchObject([{ traceId: request.traceId, spanId: request.spanId }]);
  expect(job.traceId).not.toBe(request.traceId);
  const { jobId } = (await answer.json()) as { jobId: string };
  expect(attributesOf(job)).toMatchObject({ 'keyward.job.id': jobId, 'keyward.job.state': 'done' });
  expect(inside(job).map((attributes) => attributes['server.port'])).toContain(test.redis.options.port);
  for (const name of ['secret-1', 'author:id']) expect(sent()).not.toContain(name);
});

it('names what nobody declared without its path, and reports a failure by its code', async () => {
  expect((await call('/api/v1/nothing/of/this-name')).status).toBe(404);
  await expect.poll(() => named('GET')).toMatchObject({ kind: 2 });
  expect(sent()).not.toContain('this-name');
});

it('samples by the standard variables, and is silent where nothing asks for traces', async () => {
  await trace({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' });
  await Promise.all(Array.from({ length: 100 }, () => call('/api/v1/nothing')));
  await tracing().flush();
  const sampled = collector.spans().length;
  expect(sampled).toBeGreaterThan(20);
  expect(sampled).toBeLessThan(80);
  const off: Record<string, string>[] = [
    { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    { OTEL_SDK_DISABLED: 'true' },
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_TRACES_SAMPLER: 'always_off' },
  ];
  // What ran before may still be exported, so the requests have traces of their own.
  for (const [i, variables] of off.entries()) {
    const traceId = `${i + 1}`.repeat(32);
    await trace(variables);
    expect((await flags({ traceparent: `00-${traceId}-${'b'.repeat(16)}-01` })).status).toBe(200);
    await tracing().flush();
    expect(sent()).not.toContain(traceId);
  }
});

it('names a variable that cannot be used, without its value', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  await trace({ OTEL_EXPORTER_OTLP_ENDPOINT: 'user:hunter2@collector' });
  await trace({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
  const lines = warn.mock.calls.map(([line]) => String(line));
  expect(lines).toEqual([
    expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT'),
    expect.stringContaining('OTEL_EXPORTER_OTLP_PROTOCOL'),
  ]);
  expect(lines.join()).not.toContain('hunter2');
});

it('sends protobuf by default', async () => {
  await trace({ OTEL_EXPORTER_OTLP_PROTOCOL: '' });
  expect((await flags()).status).toBe(200);
  // What the console does by itself is exported too, and may come first.
  await expect.poll(sent).toContain('flags.list');
  expect(collector.exports[0]!.headers['content-type']).toBe('application/x-protobuf');
  expect(sent()).not.toContain(KEY_NAME);
});

it('serves requests while the collector refuses or does not answer, and reports it once a minute', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  for (const answer of [400, null]) {
    collector.answerWith(answer);
    await trace({ OTEL_EXPORTER_OTLP_TIMEOUT: '200' });
    for (let i = 0; i < 3; i++) {
      const before = collector.exports.length;
      expect((await flags()).status).toBe(200);
      await expect.poll(() => collector.exports.length).toBeGreaterThan(before);
    }
    await expect.poll(() => warn.mock.calls.length).toBeGreaterThan(0);
    expect(warn.mock.calls).toHaveLength(1);
    expect(warn.mock.calls[0]![0]).toMatch(/^Warning: traces could not be exported \(\w/);
    warn.mockClear();
  }
});
