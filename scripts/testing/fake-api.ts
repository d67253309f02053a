import { afterEach, beforeEach, expect, vi } from 'vitest';
import { EventParser } from '@/components/patterns/event-stream';
import { connectionContracts } from '@/lib/connections/schema';
import type { Contract, Input, Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';

/** A function also gets the path that was asked, which names the connection. */
type Answer<C extends Contract> =
  | Result<C>
  | ((input: Input<C>, path: string) => Result<C> | Promise<Result<C>>);

interface Route {
  contract: Contract;
  pattern: RegExp;
  names: string[];
  answer: (input: unknown, path: string) => unknown;
  inputs: unknown[];
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`);
const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);

const json = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

/** The input of a request, from path, query and body, as the server reads it. */
const inputOf = async ({ names, pattern }: Route, url: URL, init: RequestInit): Promise<unknown> => {
  const values = pattern.exec(url.pathname)!.slice(1).map(decodeURIComponent);
  const fromPath = Object.fromEntries(names.map((name, i) => [name, values[i]]));
  delete fromPath.connection;
  const rest = init.body ? (JSON.parse(String(init.body)) as object) : Object.fromEntries(url.searchParams);
  return { ...fromPath, ...rest };
};

const textOf = (event: { event: string; data: unknown }): string =>
  `event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`;

type StreamedEvents = { event: string; data: unknown }[];

/**
 * The console's HTTP interface without a server. Requests and answers are validated by the server's own schemas, so
 * that a test cannot rely on an impossible answer. A request without an answer fails the test. The last answer set for
 * an operation counts.
 */
class FakeApi {
  private routes: Route[] = [];
  private readonly faults: string[] = [];
  /** Ids of operations whose stream stays open after its events. */
  private readonly open = new Set<string>();

  /** Sets the answer of an operation; a thrown `Problem` becomes that refusal. */
  answer<C extends Contract>(contract: C, answer: Answer<C>): void {
    const give = typeof answer === 'function' ? (answer as Route['answer']) : () => answer;
    const { path } = contract;
    const known = this.routes.find((route) => route.contract.id === contract.id);
    if (known) known.answer = give;
    else {
      const route = { contract, pattern: patternOf(path), names: namesIn(path), answer: give, inputs: [] };
      this.routes.push(route);
    }
  }

  /** Sets an answer that is sent when the returned function is called: until then the operation is pending. */
  hold<C extends Contract>(contract: C, answer: Result<C>): () => void {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.answer(contract, () => released.then(() => answer));
    return release;
  }

  /** Sets the events of a stream, sent together; an EventSource stays open after them, like one that `staysOpen`. */
  tell<C extends Contract>(
    contract: C,
    events: { event: string; data: Result<C> }[],
    staysOpen = false,
  ): void {
    this.answer(contract, (() => events) as unknown as Answer<C>);
    if (staysOpen) this.open.add(contract.id);
    else this.open.delete(contract.id);
  }

  refuse(contract: Contract, ...problem: ConstructorParameters<typeof Problem>): void {
    this.answer(contract, () => {
      throw new Problem(...problem);
    });
  }

  /** The inputs of an operation so far, oldest first. */
  asked<C extends Contract>(contract: C): Input<C>[] {
    return (this.routes.find((route) => route.contract.id === contract.id)?.inputs ?? []) as Input<C>[];
  }

  readonly fetch = async (address: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(String(address), window.location.href);
    const method = init.method ?? 'GET';
    const route = this.routes.find(
      (route) => route.contract.method === method && route.pattern.test(url.pathname),
    );
    if (!route) return this.fault(`nothing answers ${method} ${url.pathname}`);
    const { contract } = route;
    const input = contract.input.safeParse(await inputOf(route, url, init));
    if (!input.success) return this.fault(`${contract.id} was asked wrongly: ${input.error.message}`);
    route.inputs.push(input.data);
    try {
      const given = await route.answer(input.data, url.pathname);
      init.signal?.throwIfAborted();
      if (contract.stream) return this.stream(contract, given as StreamedEvents, init.signal);
      const parsed = contract.result.safeParse(given);
      if (!parsed.success) return this.fault(`no server answers ${contract.id} so: ${parsed.error.message}`);
      return json(contract.status ?? 200, parsed.data);
    } catch (error) {
      if (error instanceof Problem) return json(error.status, error.toDocument('request-of-a-test'));
      throw error;
    }
  };

  private stream(contract: Contract, events: StreamedEvents, signal?: AbortSignal | null): Response {
    for (const { event, data } of events) {
      // The error event of a stream is a problem, whatever the contract.
      if (event === 'error') continue;
      const parsed = contract.result.safeParse(data);
      if (!parsed.success) return this.fault(`no server tells ${contract.id} so: ${parsed.error.message}`);
    }
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(events.map(textOf).join('')));
        if (this.open.has(contract.id))
          signal?.addEventListener('abort', () => controller.error(signal.reason));
        else controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }

  private fault(message: string): Response {
    this.faults.push(message);
    return json(500, { code: 'internal', title: 'Fault of the test', detail: message });
  }

  /** Resets everything. Returns the requests that had no answer. */
  end(): string[] {
    this.routes = [];
    this.open.clear();
    return this.faults.splice(0);
  }
}

/** An EventSource over the fake `fetch`. */
class FakeEventSource extends EventTarget {
  static readonly CLOSED = 2;
  onerror: (() => void) | null = null;
  readyState = 1;
  private closed = false;

  constructor(url: string) {
    super();
    void this.read(url);
  }

  private async read(url: string): Promise<void> {
    const response = await fetch(url);
    if (!response.ok) {
      this.readyState = FakeEventSource.CLOSED;
      return this.onerror?.();
    }
    for (const { event, data } of new EventParser().push(await response.text()))
      if (!this.closed) this.dispatchEvent(new MessageEvent(event, { data }));
  }

  close(): void {
    this.closed = true;
  }
}

/** Replaces `fetch` in every test of the calling file. No capability of the server is missing. */
export const fakeApi = (): FakeApi => {
  const api = new FakeApi();
  beforeEach(() => {
    const readAt = new Date().toISOString();
    api.answer(connectionContracts.capabilities, { features: [], nodes: [], readAt });
    vi.stubGlobal('fetch', api.fetch);
    vi.stubGlobal('EventSource', FakeEventSource);
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    expect(api.end()).toEqual([]);
  });
  return api;
};
