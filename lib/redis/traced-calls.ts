import 'server-only';
import type { Redis } from 'ioredis';
import { isTracing, type TraceSpan, tracing } from '@/lib/trace';
import { codeOf } from './failure';
import { SHIPPED_TABLE } from './shipped-table';

/** Calls that were sent together, such as those of a pipeline. */
interface Batch {
  parent: TraceSpan;
  span: TraceSpan;
  counts: Map<string, number>;
  open: number;
  failure: unknown;
}

/** A name that no server has could be anything, so it is not recorded. */
const nameOf = (command: string): string =>
  SHIPPED_TABLE.has(command.toLowerCase()) ? command.toUpperCase() : 'OTHER';

/** By the conventions for databases: `GET`, `PIPELINE GET`, `PIPELINE`, `MULTI`. */
const operationOf = ({ counts }: Batch): string => {
  const names = [...counts.keys()];
  if (counts.has('MULTI')) return 'MULTI';
  if (names.length > 1) return 'PIPELINE';
  return counts.get(names[0]!) === 1 ? names[0]! : `PIPELINE ${names[0]}`;
};

const finish = (batch: Batch, address: string | null): void => {
  const { span, counts, failure } = batch;
  const size = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const [, host, port] = /^([^/].*):(\d+)$/.exec(address ?? '') ?? [];
  span.name(operationOf(batch));
  span.set({
    'db.system.name': 'redis',
    'db.operation.name': operationOf(batch),
    'db.operation.batch.size': size > 1 ? size : null,
    'keyward.redis.commands': [...counts].map(([name, count]) => `${name} ${count}`),
    // The path of a socket is the server's place, too.
    'server.address': host ?? address,
    'server.port': port ? Number(port) : null,
  });
  if (failure) span.fail(codeOf(failure) ?? 'refused');
  span.end();
};

interface Sent {
  name: string;
  promise: Promise<unknown>;
}

/**
 * Records the calls of a client within the span of a request or job, one span for those that are sent together: names
 * of commands and the server, never a key or an argument. Leaves the client as it is where nothing is traced.
 */
export const traceCalls = (redis: Redis, address: () => string | null): Redis => {
  if (!isTracing()) return redis;
  let current: Batch | null = null;
  /** Two requests may send calls before the microtask that ends a batch. */
  const batchOf = (parent: TraceSpan): Batch | null => {
    if (current?.parent === parent) return current;
    const span = tracing().begin('redis', { kind: 'client' });
    if (!span) return null;
    const batch: Batch = { parent, span, counts: new Map(), open: 0, failure: null };
    current = batch;
    queueMicrotask(() => {
      if (current === batch) current = null;
    });
    return batch;
  };
  const send = redis.sendCommand as (...given: unknown[]) => unknown;
  const traced = (...given: unknown[]): unknown => {
    const parent = tracing().current();
    const batch = parent && batchOf(parent);
    if (!batch) return send.apply(redis, given);
    const { name, promise } = given[0] as Sent;
    batch.counts.set(nameOf(name), (batch.counts.get(nameOf(name)) ?? 0) + 1);
    batch.open += 1;
    const over = (failure: unknown): void => {
      batch.failure ??= failure;
      batch.open -= 1;
      if (batch.open === 0) finish(batch, address());
    };
    promise.then(
      () => over(null),
      (error: unknown) => over(error),
    );
    return send.apply(redis, given);
  };
  return Object.assign(redis, { sendCommand: traced });
};
