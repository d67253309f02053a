import 'server-only';
import type { ReadOf } from '@/lib/command/context';
import { badField } from '@/lib/errors';
import { type PastValue, readPast } from '@/lib/figures/instance';
import { DAY, iso, SECOND } from '@/lib/time';
import { clearFault } from './compare';
import { evaluate } from './evaluate';
import type { alertContracts } from './schema';
import { indexOf } from './select';
import { emptyState } from './state';
import type { RuleTerms } from './stored-rule';

const SPAN_MS = 7 * DAY;
/** A chart has so many values fewer than the evaluation. */
const THINNED = 10;
/** A limit within the noise is passed thousands of times. */
const MAX_FIRED = 100;

type Fired = { at: number; until: number | null };

/** The times at which a rule would have fired. Each value holds for a step, and is evaluated at its begin and end. */
export const firedIn = (rule: RuleTerms, values: readonly PastValue[], stepMs: number): Fired[] => {
  const { metric } = rule.source;
  const fired: Fired[] = [];
  let state = emptyState(metric);
  let last = Number.NEGATIVE_INFINITY;
  for (const { at, value } of values) {
    const figures = indexOf([{ name: metric, labels: {}, value, at }]);
    for (const now of [at, at + stepMs - 1]) {
      const evaluated = evaluate(rule, state, figures, { now, afterGap: now - last > stepMs });
      for (const { event } of evaluated.transitions)
        if (event === 'firing') fired.push({ at: now, until: null });
        else fired.at(-1)!.until = now;
      state = evaluated.state;
      last = now;
    }
  }
  return fired;
};

const averagesOf = (values: readonly PastValue[], stepMs: number): PastValue[] => {
  const steps = new Map<number, number[]>();
  for (const { at, value } of values) {
    const start = at - (at % stepMs);
    const same = steps.get(start);
    if (same) same.push(value);
    else steps.set(start, [value]);
  }
  return [...steps].map(([at, all]) => ({
    at,
    value: all.reduce((sum, each) => sum + each, 0) / all.length,
  }));
};

/** alerts.preview */
export const previewRule: ReadOf<typeof alertContracts.preview> = async (ctx, rule) => {
  const fault = clearFault(rule);
  if (fault) throw badField('clear', fault);
  const { store, connection, catalog } = ctx;
  const now = ctx.now();
  const range = { from: now - SPAN_MS, to: now };
  const past = await readPast({ store, connection, catalog, now }, rule.source.metric, range);
  const { values, stepMs } = past ?? { values: [], stepMs: SECOND };
  const valueMs = stepMs * THINNED;
  const fired = firedIn(rule, values, stepMs);
  return {
    from: iso(range.from),
    to: iso(now),
    values: past && averagesOf(values, valueMs).map(({ at, value }) => ({ at: iso(at), value })),
    valueSeconds: valueMs / SECOND,
    stepSeconds: stepMs / SECOND,
    count: fired.length,
    fired: fired.slice(-MAX_FIRED).map(({ at, until }) => ({
      at: iso(at),
      until: until === null ? null : iso(until),
    })),
  };
};
