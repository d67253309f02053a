import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { registerDomains } from '@/lib/domains/all';
import { figureDefinitions } from '@/lib/figures/registry';
import { requestMetrics } from '@/lib/http/request-metrics';
import { CONSOLE_FIGURES, processMetrics } from './console-figures';

/** A reference to the variable: the imported dashboard asks for its data source. */
const source = z.object({ type: z.literal('prometheus'), uid: z.string().regex(/^\$\{datasource\}$/) });

const panel = z.object({
  id: z.number().int().positive(),
  type: z.string(),
  title: z.string().min(1),
  gridPos: z.object({ h: z.number(), w: z.number(), x: z.number(), y: z.number() }),
  datasource: source.optional(),
  targets: z
    .array(z.object({ refId: z.string(), expr: z.string(), legendFormat: z.string(), datasource: source }))
    .optional(),
});

/** The fields that Grafana's import needs. */
const dashboard = z.object({
  uid: z.string(),
  title: z.string(),
  schemaVersion: z.number().int().min(36),
  panels: z.array(panel),
  templating: z.object({
    list: z.array(z.object({ name: z.string(), type: z.string(), definition: z.string().optional() })),
  }),
});

const file = dashboard.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, '../../public/grafana/keyward.json'), 'utf8')),
);

const EXPRESSIONS = [
  ...file.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...file.templating.list.flatMap(({ definition }) => definition ?? []),
];

/** Series by name, with their labels. */
const series = new Map<string, readonly string[]>();

beforeAll(() => {
  registerDomains();
  for (const { name, labels } of figureDefinitions()) series.set(name, ['connection', ...labels]);
  for (const { name, labels } of CONSOLE_FIGURES) series.set(name, labels);
  for (const registry of [processMetrics(), requestMetrics().registry])
    for (const metric of registry.getMetricsAsArray()) {
      const { labelNames } = metric as unknown as { labelNames: string[] };
      series.set(metric.name, labelNames);
      if ('buckets' in metric) series.set(`${metric.name}_bucket`, [...labelNames, 'le']);
    }
});

const NAME = /\bkeyward_[a-z0-9_]+/g;
/** Labels of a selector or of a grouping. */
const LABELS = [/([a-z_]+)\s*(?:=~|!~|!=|=)\s*"/g, /\bby \(([a-z_, ]+)\)/g];

it('has panels with ids of their own that refer to the data source by its variable', () => {
  const ids = file.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(file.templating.list.map(({ name, type }) => [name, type])).toEqual([
    ['datasource', 'datasource'],
    ['connection', 'query'],
  ]);
  const drawn = file.panels.filter(({ type }) => type !== 'row');
  expect(drawn.filter(({ datasource, targets = [] }) => !datasource || targets.length === 0)).toEqual([]);
  expect(drawn.length).toBeGreaterThan(20);
});

it('names only series that exist', () => {
  const named = EXPRESSIONS.flatMap((expr) => expr.match(NAME) ?? []);
  expect(named.length).toBeGreaterThanOrEqual(EXPRESSIONS.length);
  expect(named.filter((name) => !series.has(name))).toEqual([]);
});

it('names only labels that its series have', () => {
  const wrong = EXPRESSIONS.flatMap((expr) => {
    const known = (expr.match(NAME) ?? []).flatMap((name) => series.get(name) ?? []);
    const used = LABELS.flatMap((pattern) =>
      [...expr.matchAll(pattern)].flatMap(([, labels]) => labels!.split(', ')),
    );
    return used.filter((label) => !known.includes(label)).map((label) => `${label} in ${expr}`);
  });
  expect(wrong).toEqual([]);
});

it('shows each legend by labels that its series have', () => {
  const wrong = file.panels.flatMap(({ targets = [] }) =>
    targets.flatMap(({ expr, legendFormat }) => {
      // Prometheus itself adds the address it scraped.
      const known = ['instance', ...(expr.match(NAME) ?? []).flatMap((name) => series.get(name) ?? [])];
      return [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].filter(([, label]) => !known.includes(label!));
    }),
  );
  expect(wrong).toEqual([]);
});
