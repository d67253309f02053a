import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { MINUTE } from '@/lib/time';
import { inUnit, labelsText, valueInWords } from './message';
import { readRules } from './reads';
import { readResults } from './results';
import { readAll } from './stored-rule';

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
      values: {
        name,
        count: series.length,
        metric: source.metric,
        ...(value !== null && labels && { value, labels: labelsText(labels) }),
        ...(unit !== null && { unit }),
      } as Record<string, string | number>,
      severity,
      href,
      text: series.length === 1 ? `Alert: ${name}` : `Alert: ${name} (${series.length} series)`,
      detail: value === null || !labels ? null : valueInWords(source.metric, labels, inUnit(value, unit)),
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

/** Channels whose messages have not been delivered for a minute: alerts and notifications do not arrive. */
export const failingChannels = async (ctx: ReadContext) => {
  const { id } = ctx.connection.config;
  const [channels, results] = await Promise.all([
    readAll(ctx.store, 'channels', id),
    readResults(ctx.store, id),
  ]);
  const failing = [...channels.values()].flatMap((channel) => {
    const last = results.get(channel.id);
    const isFailing = last?.since != null && last.since <= ctx.now() - MINUTE;
    return isFailing ? [{ channel, error: last.error }] : [];
  });
  return failing.slice(0, MAX_ROWS).map(({ channel: { id: channel, name }, error }) => ({
    id: `alert-channel:${channel}`,
    values: { name } as Record<string, string | number>,
    severity: 'warning' as const,
    href: `/${id}/alerts?tab=channels`,
    text: `Messages to ${name} are not delivered`,
    detail: error,
  }));
};
