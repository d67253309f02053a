import 'server-only';
import { Counter, Histogram, Registry } from 'prom-client';
import { processWide } from '@/lib/process-wide';

const BUCKETS_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 5];

/** Requests that this process answered, for Prometheus. */
export const requestMetrics = processWide('request metrics', () => {
  const registry = new Registry();
  const registers = [registry];
  const answered = new Counter({
    name: 'keyward_http_requests_total',
    help: 'Requests answered, by operation and class of the status.',
    labelNames: ['operation', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'keyward_http_request_duration_seconds',
    help: 'Time until a request was answered; of a stream, until it began.',
    buckets: BUCKETS_SECONDS,
    registers,
  });
  return { registry, answered, seconds };
});

/** Counts an answer. `operation`: null for routes without a contract. */
export const countRequest = (operation: string | null, status: number, beganAt: number): void => {
  const { answered, seconds } = requestMetrics();
  answered.inc({ operation: operation ?? 'other', status: `${Math.floor(status / 100)}xx` });
  seconds.observe((performance.now() - beganAt) / 1000);
};
