import { readFigures } from '@/lib/figures/registry';
import { alertsOn } from '@/scripts/testing/alerts';
import type { BenchRow } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { EVALUATION_MS } from './state';

const RULES = 200;
const FIGURES = 1000;
const EVALUATIONS = 60;
/** The share of a core that all rules may take. */
const LIMIT = 0.01;
const METRIC = 'keyward_test_of_family';

/** Processor time of this process per run of `work`, ms. */
const processorMs = async (work: (run: number) => Promise<unknown>): Promise<number> => {
  await work(0);
  const before = process.cpuUsage();
  for (let run = 1; run <= EVALUATIONS; run++) await work(run);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / EVALUATIONS;
};

/** Half of the rules watch one series, a quarter ten of them as changes, the others all that fire. */
const fill = async (alerts: ReturnType<typeof alertsOn>): Promise<void> => {
  for (let i = 0; i < RULES; i++) {
    const one = { source: { metric: METRIC, labels: { family: `f${i * 5}` } } };
    if (i % 4 === 0) await alerts.create({ ...one, condition: 'change', value: 50, windowSeconds: 60 });
    else if (i % 4 === 1) await alerts.create({ source: { metric: METRIC }, value: 985, forSeconds: 10 });
    else await alerts.create({ ...one, value: 500, forSeconds: 10 });
  }
};

const measure = async (test: TestContext) => {
  const alerts = alertsOn(test);
  await fill(alerts);
  const { store, connection, catalog } = test.ctx;
  const started = Date.now();
  const set = (run: number) =>
    alerts.setAll(
      Array.from({ length: FIGURES }, (_, i) => ({
        name: METRIC,
        labels: { family: `f${i}` },
        value: (i * 7 + run * 3) % FIGURES,
      })),
    );
  const baseline = await processorMs(async (run) => {
    set(run);
    forget('figures');
    await readFigures({ store, connection, catalog, now: started });
  });
  const all = await processorMs(async (run) => {
    set(run);
    await alerts.evaluate(started + run * EVALUATION_MS);
  });
  alerts.end();
  return { baseline, all };
};

/** Evaluating 200 rules over 1000 figures every five seconds. */
export const run = async (): Promise<BenchRow> => {
  const test = await testContext();
  try {
    const { baseline, all } = await measure(test);
    const share = (all - baseline) / EVALUATION_MS;
    return {
      name: `processor time of evaluating ${RULES} alert rules over ${FIGURES} figures`,
      ms: all,
      baselineName: 'reading the figures alone',
      baselineMs: baseline,
      limit: `≤ ${LIMIT * 100}% of a core at one evaluation per ${EVALUATION_MS / 1000} s`,
      held: share <= LIMIT,
      note: `${(share * 100).toFixed(2)}% of a core`,
    };
  } finally {
    await test.close();
  }
};
