import 'server-only';
import type { FigureSource } from '@/lib/figures/figure';
import { definer, figuresOf } from '@/lib/figures/series';
import { HOUR, SECOND } from '@/lib/time';
import { storedReport } from './check';
import { readCheck } from './stored-check';

const define = definer({ labels: [], permission: 'view' });
const defineByRule = definer({ labels: ['rule'], permission: 'view' });

/** The last report of the conventions; no figures before the first. */
export const conventionFigures: FigureSource = {
  // Allows for several checks of the largest keyspace.
  maxAgeMs: 6 * HOUR,
  definitions: [
    define('conventions_score', 'count', 'Score of the conventions at the last check, 0 to 100.'),
    define('conventions_failed_rules', 'count', 'Rules of the conventions that failed at the last check.'),
    define('conventions_age_seconds', 'seconds', 'Time since the conventions were last checked.'),
    defineByRule(
      'convention_violations',
      'count',
      'Violations of a rule at the last check that are not waived; absent where it could not be evaluated.',
    ),
  ],
  read: async ({ store, connection, now }) => {
    const check = await readCheck(store, connection.config.id);
    if (!check) return [];
    const { score, rules } = await storedReport(store, connection, check, now);
    const { at } = check;
    const failed = rules.filter(({ state }) => state === 'failed').length;
    return [
      ...figuresOf({
        labels: {},
        at,
        values: {
          conventions_score: score,
          conventions_failed_rules: failed,
        },
      }),
      ...figuresOf({
        labels: {},
        at: now,
        values: { conventions_age_seconds: (now - at) / SECOND },
      }),
      ...rules.flatMap(({ id, count }) =>
        figuresOf({ labels: { rule: id }, at, values: { convention_violations: count } }),
      ),
    ];
  },
};
