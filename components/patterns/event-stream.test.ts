import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ApiProblem } from '@/lib/api-client';
import { EventParser, readEvents } from './event-stream';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
};

it('parses events from chunks of any size', () => {
  const text =
    'retry: 2000\n\nevent: match\ndata: {"a":"x: y"}\n\n: \n\nid: 3\nevent: end\ndata: 1\ndata: 2\n\ndata: cut';
  const whole = new EventParser().push(text);
  expect(whole).toEqual([
    { event: 'match', data: '{"a":"x: y"}' },
    { event: 'end', data: '1\n2' },
  ]);
  const parser = new EventParser();
  expect([...text].flatMap((character) => parser.push(character))).toEqual(whole);
});

it('yields events as they arrive, also when a chunk ends inside a character, and ends with the response', async () => {
  const bytes = Buffer.from('event: match\ndata: "анна"\n\n');
  const url = await serve((_, answer) => {
    answer.write(bytes.subarray(0, 21));
    answer.write(bytes.subarray(21), () => answer.end());
  });
  expect(await readAll(readEvents(url, new AbortController().signal))).toEqual([
    { event: 'match', data: '"анна"' },
  ]);
});

it('throws the reason of a refusal', async () => {
  const url = await serve((_, answer) => {
    answer.writeHead(403, { 'content-type': 'application/problem+json' });
    answer.end(JSON.stringify({ code: 'forbidden', detail: 'Not with this role.', requestId: 'r1' }));
  });
  const reading = readEvents(url, new AbortController().signal).next();
  await expect(reading).rejects.toBeInstanceOf(ApiProblem);
  await expect(reading).rejects.toMatchObject({ status: 403, code: 'forbidden', requestId: 'r1' });
});

const readAll = async (events: ReturnType<typeof readEvents>) => {
  const all = [];
  for await (const event of events) all.push(event);
  return all;
};

it('closes the connection when its reader stops', async () => {
  let onClosed: () => void;
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve;
  });
  const url = await serve((request, answer) => {
    request.on('close', () => onClosed());
    answer.write('event: match\ndata: 1\n\n');
  });
  for await (const event of readEvents(url, new AbortController().signal)) {
    expect(event).toEqual({ event: 'match', data: '1' });
    break;
  }
  await closed;
});

it('fails when the connection breaks, and ends when it is aborted', async () => {
  const url = await serve((_, answer) => {
    answer.write('event: match\ndata: 1\n\n', () => answer.destroy());
  });
  const lost = readEvents(url, new AbortController().signal);
  await expect(readAll(lost)).rejects.toThrow();
  const stop = new AbortController();
  const waiting = await serve((_, answer) => void answer.write('event: match\ndata: 1\n\n'));
  const stopped = readEvents(waiting, stop.signal);
  await stopped.next();
  stop.abort();
  await expect(stopped.next()).rejects.toMatchObject({ name: 'AbortError' });
});
