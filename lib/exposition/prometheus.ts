import 'server-only';
import { Gauge, Registry } from 'prom-client';
import { type ConsoleContext, catalogOf } from '@/lib/command/context';
import { type Figure, type FigureDefinition, figuresByName } from '@/lib/figures/figure';
import { readFigures } from '@/lib/figures/registry';
import { requestMetrics } from '@/lib/http/request-metrics';
import { logBroken } from '@/lib/log';
import { allows } from '@/lib/permissions';
import { type ConnectionHandle, connections } from '@/lib/redis/connections';
import { isStoreUnavailable } from '@/lib/redis/failure';
import { CONSOLE_FIGURES, processMetrics, readConsoleFigures } from './console-figures';
import { visibleFigures } from './reads';

/** Adds a gauge for each figure that has values. What was known before leaves no trace: the registry is new. */
const addGauges = (
  registry: Registry,
  definitions: readonly FigureDefinition[],
  figures: ReadonlyMap<string, readonly Figure[]>,
  commonLabels: readonly string[] = [],
): void => {
  for (const { name, help, labels } of definitions) {
    const values = figures.get(name);
    if (!values) continue;
    const gauge = new Gauge({ name, help, labelNames: [...commonLabels, ...labels], registers: [registry] });
    for (const figure of values) gauge.set({ ...figure.labels }, figure.value);
  }
};

/** The figures of one Redis with its label; none without the store. */
const figuresOfConnection = async (
  { store, now }: ConsoleContext,
  connection: ConnectionHandle,
): Promise<Figure[]> => {
  const { id } = connection.config;
  try {
    const catalog = catalogOf(connection);
    const figures = await readFigures({ store, connection, catalog, now: now() });
    return figures.map((figure) => ({ ...figure, labels: { connection: id, ...figure.labels } }));
  } catch (error) {
    if (!isStoreUnavailable(error)) logBroken(`figures of ${id}`, error);
    return [];
  }
};

/** metrics.prometheus: what the sampler stored and this process knows; no Redis but the store is asked. */
export const readPrometheus = async (ctx: ConsoleContext): Promise<string> => {
  const { role } = ctx.actor;
  const handles = [...connections().values()];
  const [own, ...ofConnections] = await Promise.all([
    readConsoleFigures(ctx.store, ctx.now()),
    ...handles.map((handle) => figuresOfConnection(ctx, handle)),
  ]);
  const registry = new Registry();
  const visibleOwn = CONSOLE_FIGURES.filter(({ permission }) => allows(role, permission));
  addGauges(registry, visibleFigures(role), figuresByName(ofConnections.flat()), ['connection']);
  addGauges(registry, visibleOwn, figuresByName(own));
  const registries = [registry, processMetrics(), requestMetrics().registry];
  return (await Promise.all(registries.map((each) => each.metrics()))).join('\n');
};
