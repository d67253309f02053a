import 'server-only';
import { env } from '@/lib/configuration';
import type { TracesSettings } from '@/lib/configuration-traces';
import { log } from '@/lib/log';
import { tracing } from '@/lib/trace';

const PROTOCOLS = ['http/protobuf', 'http/json'];
const SAMPLERS = /^(parentbased_)?(always_on|always_off|traceidratio)$/;

/** What keeps traces from being exported, without the value, which may have credentials; null where nothing does. */
const problemOf = ({ endpoint, exporter, protocol, sampler }: TracesSettings): string | null => {
  if (exporter !== 'otlp') return 'OTEL_TRACES_EXPORTER: expected otlp or none';
  if (!PROTOCOLS.includes(protocol)) return `OTEL_EXPORTER_OTLP_PROTOCOL: expected ${PROTOCOLS.join(' or ')}`;
  if (sampler && !SAMPLERS.test(sampler)) return 'OTEL_TRACES_SAMPLER: expected a sampler of the SDK';
  const isWeb = URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol);
  return isWeb ? null : 'OTEL_EXPORTER_OTLP_ENDPOINT: expected an http:// or https:// address';
};

/**
 * Exports traces if OpenTelemetry's variables ask for them; otherwise none of its library is loaded. Call it before the
 * first Redis client is made.
 */
export const startTracing = async (): Promise<void> => {
  const settings = env().traces;
  if (!settings) return;
  const problem = problemOf(settings);
  if (problem) return log('warn', `Warning: no traces are exported. ${problem}.`);
  const { openTelemetry } = await import('./open-telemetry');
  tracing.replace(await openTelemetry(settings));
};
