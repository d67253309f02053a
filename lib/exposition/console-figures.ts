import 'server-only';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { auditRows } from '@/lib/audit/retention';
import { readWatch } from '@/lib/audit/watch-record';
import type { Figure, FigureDefinition } from '@/lib/figures/figure';
import { definer, figuresOf } from '@/lib/figures/series';
import { openCalls } from '@/lib/http/concurrency';
import { openJobs, readRecords } from '@/lib/jobs/record';
import { processWide } from '@/lib/process-wide';
import { withoutStore } from '@/lib/redis/failure';
import type { Store } from '@/lib/redis/store';
import { SingleFlight } from '@/lib/single-flight';

const define = definer({ labels: [], permission: 'view' });
const defineAudit = definer({ labels: [], permission: 'audit:view' });

/** Figures about the console itself: they have no label `connection`, and alert rules cannot use them. */
export const CONSOLE_FIGURES: readonly FigureDefinition[] = [
  define('store_up', 'count', "Whether the console's store is reachable: 1 or 0."),
  define('event_streams', 'count', 'Live streams that this process has open.'),
  definer({ labels: ['state'], permission: 'view' })('jobs', 'count', 'Unfinished jobs by state.'),
  defineAudit('audit_entries', 'count', 'Rows of the audit log.'),
  defineAudit('audit_alarm', 'count', 'Whether an alarm of the audit log is not acknowledged: 1 or 0.'),
];

const STATES = ['queued', 'running'] as const;

const readStored = async (store: Store, at: number): Promise<Figure[]> => {
  const [ids, audit_entries, alarm] = await Promise.all([
    openJobs(store),
    auditRows(store),
    readWatch(store, 'alarm'),
  ]);
  const records = await readRecords(store, ids);
  const countOf = (state: string): number => records.filter((record) => record?.state === state).length;
  return [
    ...STATES.flatMap((state) => figuresOf({ labels: { state }, at, values: { jobs: countOf(state) } })),
    ...figuresOf({ labels: {}, at, values: { audit_entries, audit_alarm: alarm ? 1 : 0 } }),
  ];
};

const readings = processWide('console figures', () => new SingleFlight<Figure[]>());

/** All who ask meanwhile share a reading. Without the store there is what this process knows. */
export const readConsoleFigures = (store: Store, at: number): Promise<Figure[]> =>
  readings().run('all', async () => {
    const stored = await readStored(store, at).catch(withoutStore(null));
    const own = { store_up: stored ? 1 : 0, event_streams: openCalls('stream') };
    return [...figuresOf({ labels: {}, at, values: own }), ...(stored ?? [])];
  });

/** Processor time, memory and event loop of this process, from its first scrape on. */
export const processMetrics = processWide('process metrics', () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'keyward_' });
  // Gauges that are named like counters, which Prometheus' own check refuses: sums of others.
  for (const { name } of registry.getMetricsAsArray())
    if (/_active_\w+_total$/.test(name)) registry.removeSingleMetric(name);
  return registry;
});
