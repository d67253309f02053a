import 'server-only';
import { figureDefinition } from '@/lib/figures/registry';
import {
  formatBytes,
  formatDuration,
  formatMs,
  formatNumber,
  formatPerSecond,
  formatRatio,
  UNKNOWN,
} from '@/lib/format';
import { iso, SECOND, utcText } from '@/lib/time';
import { isAbove } from './compare';
import type { StoredEvent } from './event';
import { metricName } from './metric-name';
import { consoleLink, type Outgoing, slackText, subjectOf } from './outgoing';
import type { StoredRule } from './stored-rule';

/** The unit of what a rule compares; null while no domain has its figure. */
export const unitOf = ({
  source,
  condition,
  changeIn,
}: Pick<StoredRule, 'source' | 'condition' | 'changeIn'>) =>
  condition === 'change' && changeIn === 'percent'
    ? 'percent'
    : (figureDefinition(source.metric)?.unit ?? null);

export const inUnit = (value: number | null, unit: string | null): string => {
  if (value === null) return UNKNOWN;
  if (unit === 'percent') return `${formatNumber(value)}%`;
  if (unit === 'bytes') return formatBytes(value);
  if (unit === 'ratio') return formatRatio(value);
  if (unit === 'perSecond') return formatPerSecond(value);
  if (unit === 'seconds') return value < 60 ? formatMs(value * SECOND) : formatDuration(value);
  return formatNumber(value, 'en', 3);
};

/** "above 90.0% for 1 min". */
export const limitInWords = (rule: StoredRule): string => {
  const limit = inUnit(Math.abs(rule.value), unitOf(rule));
  const passed =
    rule.condition === 'change'
      ? `${isAbove(rule) ? 'up' : 'down'} by more than ${limit} within ${formatDuration(rule.windowSeconds)}`
      : `${rule.condition} ${inUnit(rule.value, unitOf(rule))}`;
  return rule.forSeconds === 0 ? passed : `${passed} for ${formatDuration(rule.forSeconds)}`;
};

type Labels = Readonly<Record<string, string>>;

const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(', ');

/** As Prometheus names it: `keyward_family_keys{family="discours.shouts"}`. */
export const seriesId = (metric: string, labels: Labels): string => {
  const text = labelsText(labels);
  return text === '' ? metric : `${metric}{${text}}`;
};

/** `Keys of a family (family="discours.shouts"): 12`. */
export const valueInWords = (metric: string, labels: Labels, value: string): string => {
  const name = metricName(metric);
  const text = labelsText(labels);
  const series = name === null ? seriesId(metric, labels) : text === '' ? name : `${name} (${text})`;
  return `${series}: ${value}`;
};

/** The page of what a figure is about, by the beginning of its name. */
const PAGES = [
  ['keyward_guard_', '/guard'],
  ['keyward_family_', '/families'],
  ['keyward_convention', '/conventions'],
  ['keyward_queue_', '/queues'],
  ['keyward_application_', '/metrics'],
  ['keyward_presence_', '/presence'],
] as const;

export const hrefOf = (connection: string, metric: string): string =>
  `/${connection}${PAGES.find(([beginning]) => metric.startsWith(beginning))?.[1] ?? '/overview'}`;

/** What is sent. */
export interface Message {
  /** The same for every attempt. */
  id: string;
  event: 'firing' | 'resolved' | 'test';
  connection: string;
  name: string;
  description: string;
  severity: StoredEvent['severity'];
  metric: string | null;
  labels: Labels;
  /** Values and limit in words. */
  text: string;
  value: number | null;
  unit: string | null;
  firedAt: number | null;
  resolvedAt: number | null;
}

const ENDED = {
  value: null,
  ruleChanged: 'The rule was changed and no longer watches this.',
  ruleDeleted: 'The rule was deleted.',
  noData: 'It had no value for ten minutes, while others of its figure did.',
  notComparable: 'It could not be compared for ten minutes.',
} as const;

const textOf = (event: StoredEvent, which: 'firing' | 'resolved'): string => {
  const withValue = (value: string) => valueInWords(event.metric, event.labels, value);
  if (which === 'firing')
    return event.value === null
      ? `${withValue('no data')}.`
      : `${withValue(inUnit(event.value, event.unit))}, ${event.limit}.`;
  const why = event.endedBy && ENDED[event.endedBy];
  if (why) return why;
  return event.resolvedValue === null
    ? `${withValue('data again')}.`
    : `${withValue(inUnit(event.resolvedValue, event.unit))}; the limit is ${event.limit}.`;
};

export const messageOf = (
  connection: string,
  event: StoredEvent,
  delivery: { id: string; event: 'firing' | 'resolved' },
): Message => ({
  id: delivery.id,
  event: delivery.event,
  connection,
  text: textOf(event, delivery.event),
  name: event.name,
  description: event.description,
  severity: event.severity,
  metric: event.metric,
  labels: event.labels,
  unit: event.unit,
  value: delivery.event === 'firing' ? event.value : event.resolvedValue,
  firedAt: event.firedAt,
  resolvedAt: delivery.event === 'firing' ? null : event.resolvedAt,
});

export const testMessage = (connection: string, id: string, by: string): Message => ({
  id,
  event: 'test',
  connection,
  name: 'Test of an alert channel',
  severity: 'warning',
  description: '',
  metric: null,
  labels: {},
  value: null,
  unit: null,
  firedAt: null,
  resolvedAt: null,
  text: `Sent by ${by}. Nothing is wrong.`,
});

const linkOf = ({ connection }: Message): string | null => consoleLink(`/${connection}/alerts`);

const time = (at: number | null): string | null => (at === null ? null : iso(at));

const webhookBody = (message: Message): string =>
  JSON.stringify({
    ...message,
    firedAt: time(message.firedAt),
    resolvedAt: time(message.resolvedAt),
    href: linkOf(message),
  });

const TITLES = { firing: 'Firing', resolved: 'Resolved', test: 'Test' } as const;

const titleOf = ({ event, name, connection }: Message): string => `${TITLES[event]}: ${name} (${connection})`;

const TONES = { critical: 'bad', warning: 'warn' } as const;

const slackBody = (message: Message): string => {
  const { text, description, event, severity } = message;
  return slackText({
    title: titleOf(message),
    text: [text, description].filter((line) => line !== '').join('\n'),
    tone: event === 'resolved' ? 'good' : TONES[severity],
    link: linkOf(message),
    linkTitle: 'Alerts',
  });
};

const mailOf = (message: Message): Outgoing['mail'] => {
  const { severity, text, description, firedAt, resolvedAt } = message;
  const lines = [
    text,
    description && `\n${description}`,
    '',
    `Severity: ${severity}`,
    firedAt !== null && `Fired: ${utcText(firedAt)}`,
    resolvedAt !== null && `Resolved: ${utcText(resolvedAt)}`,
    linkOf(message),
  ];
  return {
    subject: subjectOf(titleOf(message)),
    text: lines.filter((line) => typeof line === 'string').join('\n'),
  };
};

/** The message as each kind of channel sends it. */
export const outgoingOf = (message: Message): Outgoing => ({
  id: message.id,
  webhook: webhookBody(message),
  slack: slackBody(message),
  mail: mailOf(message),
});
