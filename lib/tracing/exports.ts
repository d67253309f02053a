import 'server-only';
import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { log } from '@/lib/log';
import { MINUTE } from '@/lib/time';

/** The reason without the collector's answer or address, which may have credentials. */
const reasonOf = (error: Error | undefined): string => {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: string };
  return [name ?? 'unknown', typeof code === 'string' || typeof code === 'number' ? code : null]
    .filter((part) => part !== null)
    .join(' ');
};

/** Logs failures of the exporter, once a minute at most, with the number of spans lost since. */
export const reportFailures = (exporter: SpanExporter): SpanExporter => {
  let [lost, loggedAt] = [0, Number.NEGATIVE_INFINITY];
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS) {
          lost += spans.length;
          const now = performance.now();
          if (now - loggedAt >= MINUTE) {
            const reason = reasonOf(result.error);
            log('warn', `Warning: traces could not be exported (${reason}): ${lost} spans lost.`, { lost });
            [lost, loggedAt] = [0, now];
          }
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
};
