import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { inUnit, seriesInWords } from './message';
import { readRules } from './reads';

const MAX_ROWS = 5;

/** Rules that fire and are not silenced: their number, and rows of what needs attention, with values for who may see them. */
export const firingAlerts = async (ctx: ReadContext) => {
  const { rows } = await readRules(ctx);
  const firing = rows
    .map((rule) => ({
      rule,
      series: rule.series.filter(({ state, silenced }) => state === 'firing' && !silenced),
    }))
    .filter(({ series }) => series.length > 0)
    .sort((a, b) => (a.rule.severity < b.rule.severity ? -1 : 1));
  const href = `/${ctx.connection.config.id}/alerts`;
  const shown = firing.slice(0, MAX_ROWS).map(({ rule: { id, name, severity, source, unit }, series }) => {
    const [first] = series;
    const value = first?.value ?? null;
    const labels = first?.labels;
    return {
      id: `alert:${id}`,
      values: { name, count: series.length } as Record<string, string | number>,
      severity,
      href,
      text: series.length === 1 ? `Alert: ${name}` : `Alert: ${name} (${series.length} series)`,
      detail:
        value === null || !labels
          ? null
          : `${seriesInWords(source.metric, labels)} is ${inUnit(value, unit)}`,
    };
  });
  const more = firing.length - shown.length;
  if (more > 0)
    shown.push({
      id: 'alerts-more',
      values: { count: more },
      severity: 'warning',
      href,
      detail: null,
      text: more === 1 ? '1 more alert fires' : `${more} more alerts fire`,
    });
  return { count: firing.length, rows: shown };
};
