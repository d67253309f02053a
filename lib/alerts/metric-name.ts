import 'server-only';
import texts from '@/messages/en/alerts.json';

const NAMES: Readonly<Record<string, string>> = texts.metric;
const OWN = 'keyward_';

/** The name of a figure as people say it, "Hit rate"; null where it has none. */
export const metricName = (metric: string): string | null =>
  metric.startsWith(OWN) ? (NAMES[metric.slice(OWN.length)] ?? null) : null;
