// What operators see of an installed console: how it ends, its log and its traces. Used by scripts/pack.long.test.ts.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { freePort } from '../redis-server.mjs';
import { attributesOf, startCollector } from './collector';

const API_TOKEN = 'a-token-of-the-operators-12345678';
const BEARER = { authorization: `Bearer ${API_TOKEN}` };

/** Starts the installed console. */
type Launch = (args: readonly string[], variables: Record<string, string>) => ChildProcess;

interface Running {
  child: ChildProcess;
  url: string;
  output(): string;
  /** Resolves with the exit code and the time since this call, ms. */
  ended(): Promise<{ code: number | null; ms: number }>;
}

const running = async (
  launch: Launch,
  redisUrl: string,
  variables: Record<string, string> = {},
): Promise<Running> => {
  const port = String(await freePort());
  const given = { REDIS_URL: redisUrl, PORT: port, KEYWARD_API_TOKEN: API_TOKEN, ...variables };
  const child = launch([], given);
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (data) => (output += data));
  const exit = once(child, 'close') as Promise<[number | null]>;
  await expect
    .poll(() => (child.exitCode === null ? output : 'Ready: '), { timeout: 60_000 })
    .toContain('Ready: ');
  expect(child.exitCode, output).toBeNull();
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    ended: async () => {
      const startedAt = performance.now();
      const [code] = await exit;
      return { code, ms: performance.now() - startedAt };
    },
  };
};

/** A change whose body has not arrived completely. */
const halfSent = async (url: string): Promise<{ finish(): void; answer: Promise<IncomingMessage> }> => {
  const body = JSON.stringify({ name: 'a token', role: 'viewer', expiresAt: null });
  const headers = { ...BEARER, 'content-type': 'application/json', 'content-length': String(body.length) };
  const asked: ClientRequest = request(`${url}/api/v1/api-tokens`, { method: 'POST', headers });
  const answer = once(asked, 'response').then(([response]) => response as IncomingMessage);
  answer.catch(() => undefined);
  asked.on('error', () => undefined);
  asked.write(body.slice(0, 5));
  // It is being served once another request, sent later, is answered.
  await fetch(`${url}/api/v1/connections`, { headers: BEARER });
  return { finish: () => void asked.end(body.slice(5)), answer };
};

const isRefused = (url: string): Promise<boolean> =>
  fetch(`${url}/api/ready`).then(
    () => false,
    () => true,
  );

/** A request in flight is answered, a stream ends with a hint, and the process with 0. */
export const finishesWhatItServes = async (launch: Launch, redisUrl: string): Promise<void> => {
  const { child, url, ended, output } = await running(launch, redisUrl);
  const stream = await fetch(`${url}/api/v1/connections/main/history/stream`, { headers: BEARER });
  expect(stream.status).toBe(200);
  const streamed = stream.text();
  const change = await halfSent(url);
  child.kill('SIGTERM');
  const over = ended();
  await expect.poll(() => isRefused(url)).toBe(true);
  expect(await streamed).toMatch(/retry: [123]\d{3}\n\n$/);
  change.finish();
  const answer = await change.answer;
  expect([answer.statusCode, answer.headers.connection]).toEqual([201, 'close']);
  expect(JSON.parse(await text(answer))).toMatchObject({ auditId: expect.any(String) });
  const { code, ms } = await over;
  expect([code, ms < 10_000], output()).toEqual([0, true]);
};

/** A request that never ends delays the process for less than ten seconds; a second signal ends it at once. */
export const endsInTime = async (launch: Launch, redisUrl: string): Promise<void> => {
  const first = await running(launch, redisUrl);
  await halfSent(first.url);
  first.child.kill('SIGTERM');
  const { code, ms } = await first.ended();
  expect([code, ms > 7000, ms < 10_000], first.output()).toEqual([0, true, true]);
  expect(first.output()).toContain('Stopped with 1 requests unanswered.');
  const second = await running(launch, redisUrl);
  await halfSent(second.url);
  second.child.kill('SIGTERM');
  await expect.poll(() => isRefused(second.url)).toBe(true);
  second.child.kill('SIGTERM');
  const ended = await second.ended();
  expect([ended.code, ended.ms < 1000]).toEqual([143, true]);
};

interface Line {
  time: string;
  level: string;
  message: string;
}

const linesOf = (output: string): Line[] =>
  output
    .trim()
    .split('\n')
    .map((line) => {
      try {
        return JSON.parse(line) as Line;
      } catch {
        throw new Error(`no JSON: ${line}`);
      }
    });

/** A module that each process loads: a warning of Node, and in the server an error that nobody catches. */
export const NOISY = `
class NoisyError extends Error {
  name = 'NoisyError';
}
setTimeout(() => process.emitWarning('a warning', 'NoisyWarning'), 500);
if (process.argv[1].endsWith('server.js')) setTimeout(() => { throw new NoisyError('an error'); }, 4000);
`;

/**
 * Each line is JSON, also of Node's warnings and of errors that nobody caught. `noisy`: the file of
 * `NOISY`.
 */
export const logsJsonOnly = async (launch: Launch, redisUrl: string, noisy: string): Promise<void> => {
  const variables = { KEYWARD_LOG_FORMAT: 'json', KEYWARD_LOG_REQUESTS: 'true' };
  const own = await running(launch, redisUrl, { ...variables, NODE_OPTIONS: `--require ${noisy}` });
  const { status } = await fetch(`${own.url}/api/v1/connections`, { headers: BEARER });
  expect(status).toBe(200);
  await expect.poll(() => own.output()).toContain('NoisyError');
  own.child.kill('SIGTERM');
  expect(await own.ended()).toMatchObject({ code: 0 });
  const lines = linesOf(own.output());
  for (const { time, level, message } of lines) {
    expect(Date.parse(time)).toBeGreaterThan(0);
    expect(level).toMatch(/^(info|warn|error)$/);
    expect(message).toBeTruthy();
  }
  const levels = new Set(
    lines.filter(({ message }) => message.includes('NoisyWarning')).map(({ level }) => level),
  );
  expect([...levels]).toEqual(['warn']);
  expect(lines.find(({ message }) => message.includes('NoisyError'))?.level).toBe('error');
  expect(lines).toContainEqual(
    expect.objectContaining({ message: 'request', operation: 'connections.list', status: 200 }),
  );
  const wrong = launch(['--radis', 'x'], { KEYWARD_LOG_FORMAT: 'json' });
  const printed = (await Promise.all([text(wrong.stdout!), text(wrong.stderr!)])).join('');
  expect(linesOf(printed)).toMatchObject([{ level: 'error', message: expect.stringContaining("'--radis'") }]);
};

/** Requests and pages, with their calls, through Next. */
export const exportsTraces = async (launch: Launch, redisUrl: string): Promise<void> => {
  const collector = await startCollector();
  const own = await running(launch, redisUrl, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: 'keyward-test',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  try {
    const path = '/api/v1/connections/main/flags?limit=10';
    const answer = await fetch(own.url + path, { headers: BEARER });
    expect(answer.status).toBe(200);
    await fetch(`${own.url}/sign-in?callbackUrl=%2Fmain%2Fkeys%2Fa-secret-name`);
    const named = (name: string) => collector.spans().find((span) => span.name === name);
    // Until there is a user, this address leads to the set-up page.
    const page = () => named('GET /setup') ?? named('GET /sign-in');
    await expect.poll(() => named('flags.list') && page(), { timeout: 10_000 }).toBeTruthy();
    const span = named('flags.list')!;
    expect(attributesOf(span)['keyward.request.id']).toBe(answer.headers.get('x-request-id'));
    const inside = collector.spans().filter(({ parentSpanId }) => parentSpanId === span.spanId);
    const ports = inside.map((span) => attributesOf(span)['server.port']);
    expect(ports).toContain(Number(new URL(redisUrl).port));
    expect(collector.resources()[0]).toMatchObject({ 'service.name': 'keyward-test' });
    expect(JSON.stringify(collector.spans())).not.toContain('a-secret-name');
  } finally {
    own.child.kill('SIGTERM');
    await own.ended();
    await collector.close();
  }
};
