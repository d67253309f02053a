import { z } from 'zod';

const asGiven = z.string().optional();

/** OpenTelemetry's variables, by its names. Its library reads all others of its own. */
export const TRACES_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: asGiven,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: asGiven,
  OTEL_EXPORTER_OTLP_HEADERS: asGiven,
  OTEL_EXPORTER_OTLP_PROTOCOL: asGiven,
  OTEL_SERVICE_NAME: asGiven,
  OTEL_RESOURCE_ATTRIBUTES: asGiven,
  OTEL_TRACES_SAMPLER: asGiven,
  OTEL_TRACES_SAMPLER_ARG: asGiven,
  OTEL_TRACES_EXPORTER: asGiven,
  OTEL_SDK_DISABLED: asGiven,
};

type Source = Record<string, string | undefined>;

/**
 * How traces are exported, as given; null unless an endpoint is set. These variables are often set for every process of
 * a host, so a wrong one never keeps the console from starting.
 */
export const tracesOf = (source: Source) => {
  const given = (name: string) => source[name]?.trim() || undefined;
  const endpoint = given('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? given('OTEL_EXPORTER_OTLP_ENDPOINT');
  const exporter = given('OTEL_TRACES_EXPORTER') ?? 'otlp';
  if (!endpoint || exporter === 'none' || given('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return null;
  return {
    endpoint,
    exporter,
    protocol:
      given('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? given('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/protobuf',
    /** Secret: they may sign in to the collector. */
    headers: given('OTEL_EXPORTER_OTLP_HEADERS'),
    sampler: given('OTEL_TRACES_SAMPLER'),
  };
};

export type TracesSettings = NonNullable<ReturnType<typeof tracesOf>>;
