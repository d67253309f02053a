import { processWide } from './process-wide';

/** Ids, names of operations and commands, counts: never a key, a value, an e-mail address or a path as it was sent. */
export type SpanAttributes = Readonly<Record<string, string | number | readonly string[] | null>>;

export interface TraceSpan {
  /** Replaces the name. */
  name(name: string): void;
  /** Null is left out. */
  set(attributes: SpanAttributes): void;
  /** Marks it as failed; `type` is a code or the class of the error, never its message. */
  fail(type: string): void;
  /** Ends it before its work ends. */
  end(): void;
}

export interface SpanOptions {
  kind?: 'server' | 'client' | 'consumer';
  /** A `traceparent` of another process: the span belongs to its trace. */
  parent?: string | undefined;
  /** The `traceparent` of what caused this span, in a trace of its own. */
  link?: string | undefined;
}

export interface Tracing {
  /** Runs `work` within a span, which ends when the promise of `work` settles. */
  withSpan<T>(
    name: string,
    attributes: SpanAttributes,
    work: (span: TraceSpan) => Promise<T>,
    options?: SpanOptions,
  ): Promise<T>;
  /** A span that the caller ends, within the current one; null outside of a recorded span. */
  begin(name: string, options?: SpanOptions): TraceSpan | null;
  /** The innermost span of `withSpan`, while it is recorded. */
  current(): TraceSpan | null;
  /** Its `traceparent`, for a job that it enqueues. */
  traceparent(): string | undefined;
  /** Exports what has ended. */
  flush(): Promise<void>;
}

const NO_SPAN: TraceSpan = { name: () => {}, set: () => {}, fail: () => {}, end: () => {} };

const OFF: Tracing = {
  withSpan: (_name, _attributes, work) => work(NO_SPAN),
  begin: () => null,
  current: () => null,
  traceparent: () => undefined,
  flush: async () => {},
};

/** Where `lib/tracing` has not been started, nothing is recorded. */
export const tracing = processWide('tracing', () => OFF);

/** Whether traces are exported: otherwise nothing needs to be prepared for them. */
export const isTracing = (): boolean => tracing() !== OFF;

export const withSpan: Tracing['withSpan'] = (...given) => tracing().withSpan(...given);

/** Adds to the span of the request or job that is being served. */
export const describeSpan = (attributes: SpanAttributes, name?: string | null): void => {
  const span = tracing().current();
  span?.set(attributes);
  if (name) span?.name(name);
};

/** Ends it before its answer ends, such as that of a stream. */
export const endSpan = (attributes: SpanAttributes): void => {
  describeSpan(attributes);
  tracing().current()?.end();
};
