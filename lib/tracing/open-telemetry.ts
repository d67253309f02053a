import 'server-only';
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { parseKeyPairsIntoRecord, parseTraceParent } from '@opentelemetry/core';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { TracesSettings } from '@/lib/configuration-traces';
import { SECOND } from '@/lib/time';
import type { SpanAttributes, SpanOptions, TraceSpan, Tracing } from '@/lib/trace';
import { reportFailures } from './exports';

/** A walk makes thousands of calls: a span has this many inside it, and their number as an attribute. */
const MAX_INNER = 500;
/** How long a process that ends waits for the collector. */
const FLUSH_MS = SECOND;

/** A span of `withSpan`. */
interface Frame {
  span: Span;
  own: TraceSpan;
  context: Context;
  inner: number;
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };

const withoutNull = (attributes: SpanAttributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null)) as Attributes;

const traceSpan = (span: Span): TraceSpan => ({
  name: (name) => void span.updateName(name),
  set: (attributes) => void span.setAttributes(withoutNull(attributes)),
  fail: (type) => void span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR }),
  end: () => {
    if (span.isRecording()) span.end();
  },
});

/** Exporters of the other protocol are not loaded. */
const exporterOf = async ({ protocol, headers }: TracesSettings): Promise<SpanExporter> => {
  const { OTLPTraceExporter } = await (protocol === 'http/json'
    ? import('@opentelemetry/exporter-trace-otlp-http')
    : import('@opentelemetry/exporter-trace-otlp-proto'));
  // The library reads the variable itself, but not the file that may hold its value.
  return new OTLPTraceExporter({ headers: parseKeyPairsIntoRecord(headers) });
};

const contextOf = (traceparent: string | undefined): Context => {
  const remote = traceparent ? parseTraceParent(traceparent) : null;
  return remote ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }) : ROOT_CONTEXT;
};

const linksOf = (traceparent: string | undefined) => {
  const context = traceparent ? parseTraceParent(traceparent) : null;
  return context ? [{ context }] : [];
};

const traceparentOf = (span: Span): string | undefined => {
  const context = span.spanContext();
  const flags = context.traceFlags.toString(16).padStart(2, '0');
  return isSpanContextValid(context) ? `00-${context.traceId}-${context.spanId}-${flags}` : undefined;
};

/**
 * Traces by OpenTelemetry's library, which reads its variables. It is not registered as the global one: Next would then
 * export spans with the paths of requests.
 */
export const openTelemetry = async (settings: TracesSettings): Promise<Tracing> => {
  const exporter = await exporterOf(settings);
  const frames = new AsyncLocalStorage<Frame>();
  const named = resourceFromAttributes({ 'service.name': 'keyward' });
  const provider = new BasicTracerProvider({
    resource: named.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(reportFailures(exporter))],
  });
  const tracer = provider.getTracer('keyward');
  const recording = (): Frame | null => {
    const frame = frames.getStore();
    return frame?.span.isRecording() ? frame : null;
  };
  const start = (name: string, { kind, link }: SpanOptions, attributes: SpanAttributes, within: Context) => {
    const given = { attributes: withoutNull(attributes), links: linksOf(link) };
    return tracer.startSpan(name, { ...given, kind: kind ? KINDS[kind] : SpanKind.INTERNAL }, within);
  };
  return {
    withSpan: async (name, attributes, work, options = {}) => {
      const isFirst = options.kind === 'server' || options.kind === 'consumer';
      const within = isFirst ? contextOf(options.parent) : (frames.getStore()?.context ?? ROOT_CONTEXT);
      const span = start(name, options, attributes, within);
      const own = traceSpan(span);
      const frame = { span, own, context: trace.setSpan(within, span), inner: 0 };
      try {
        return await frames.run(frame, () => work(own));
      } catch (error) {
        own.fail(error instanceof Error ? error.name : 'error');
        throw error;
      } finally {
        if (frame.inner > 0) own.set({ 'keyward.redis.calls': frame.inner });
        own.end();
      }
    },
    begin: (name, options = {}) => {
      const frame = recording();
      if (!frame) return null;
      frame.inner += 1;
      return frame.inner > MAX_INNER ? null : traceSpan(start(name, options, {}, frame.context));
    },
    current: () => recording()?.own ?? null,
    traceparent: () => {
      const frame = frames.getStore();
      return frame && traceparentOf(frame.span);
    },
    flush: async () => {
      const late = new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref());
      await Promise.race([provider.forceFlush().catch(() => undefined), late]);
    },
  };
};
