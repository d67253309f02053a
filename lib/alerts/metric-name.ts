import 'server-only';
import { type SentTexts, sentTexts } from '@/lib/sent-texts';

const OWN = 'keyward_';

/** The name of a figure as people say it, "Hit rate"; null where it has none. */
export const metricName = (metric: string, t: SentTexts = sentTexts('en')): string | null => {
  const key = `alerts.metric.${metric.slice(OWN.length)}` as 'alerts.metric.redis_up';
  return metric.startsWith(OWN) && t.has(key) ? t(key) : null;
};
