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
import type { Locale } from '@/lib/locales';
import { type SentTexts, sentTexts } from '@/lib/sent-texts';
import { iso, SECOND, utcText } from '@/lib/time';
import { isAbove } from './compare';
import type { LimitTerms, StoredEvent } from './event';
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

export const inUnit = (value: number | null, unit: string | null, language: Locale = 'en'): string => {
  if (value === null) return UNKNOWN;
  if (unit === 'percent') return `${formatNumber(value, language)}%`;
  if (unit === 'bytes') return formatBytes(value, language);
  if (unit === 'ratio') return formatRatio(value, language);
  if (unit === 'perSecond') return formatPerSecond(value, language);
  if (unit === 'seconds')
    return value < 60 ? formatMs(value * SECOND, language) : formatDuration(value, language);
  return formatNumber(value, language, 3);
};

/** "above 90.0% for 1 min". */
export const limitInWords = (terms: LimitTerms, unit: string | null, language: Locale = 'en'): string => {
  const { condition, value, windowSeconds, forSeconds } = terms;
  const t = sentTexts(language);
  const limit = inUnit(condition === 'change' ? Math.abs(value) : value, unit, language);
  const within = formatDuration(windowSeconds, language);
  const passed =
    condition === 'change'
      ? t(isAbove(terms) ? 'alerts.limit.rise' : 'alerts.limit.fall', { limit, within })
      : t(`alerts.limit.${condition}`, { limit });
  return forSeconds === 0
    ? passed
    : t('alerts.limit.for', { passed, time: formatDuration(forSeconds, language) });
};

type Labels = Readonly<Record<string, string>>;

export const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(', ');

/** As Prometheus names it: `keyward_family_keys{family="discours.shouts"}`. */
export const seriesId = (metric: string, labels: Labels): string => {
  const text = labelsText(labels);
  return text === '' ? metric : `${metric}{${text}}`;
};

/** `Keys of a family (family="discours.shouts")`. */
const seriesInWords = (metric: string, labels: Labels, t: SentTexts): string => {
  const name = metricName(metric, t);
  const text = labelsText(labels);
  if (name === null) return seriesId(metric, labels);
  return text === '' ? name : t('sentTexts.alert.series', { name, labels: text });
};

/** `Keys of a family (family="discours.shouts"): 12`. */
export const valueInWords = (
  metric: string,
  labels: Labels,
  value: string,
  t: SentTexts = sentTexts('en'),
): string => t('sentTexts.alert.value', { series: seriesInWords(metric, labels, t), value });

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

/** In English for an alert that an older version stored. */
const limitOf = ({ terms, unit, limit }: StoredEvent, language: Locale): string =>
  terms ? limitInWords(terms, unit, language) : limit;

const textOf = (event: StoredEvent, which: 'firing' | 'resolved', language: Locale): string => {
  const { metric, labels, unit, endedBy } = event;
  const t = sentTexts(language);
  const series = seriesInWords(metric, labels, t);
  const withValue = (value: number) => valueInWords(metric, labels, inUnit(value, unit, language), t);
  const limit = limitOf(event, language);
  if (which === 'firing')
    return event.value === null
      ? t('sentTexts.alert.firingNoData', { series })
      : t('sentTexts.alert.firing', { value: withValue(event.value), limit });
  if (endedBy && endedBy !== 'value') return t(`sentTexts.alert.ended.${endedBy}`);
  return event.resolvedValue === null
    ? t('sentTexts.alert.resolvedNoValue', { series })
    : t('sentTexts.alert.resolved', { value: withValue(event.resolvedValue), limit });
};

export const messageOf = (
  connection: string,
  event: StoredEvent,
  delivery: { id: string; event: 'firing' | 'resolved' },
  language: Locale = 'en',
): Message => ({
  id: delivery.id,
  event: delivery.event,
  connection,
  text: textOf(event, delivery.event, language),
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

export const testMessage = (connection: string, id: string, by: string, language: Locale): Message => {
  const t = sentTexts(language);
  return {
    id,
    event: 'test',
    connection,
    // The same in each language, as all names are for webhooks.
    name: sentTexts('en')('sentTexts.alert.testName'),
    severity: 'warning',
    description: '',
    metric: null,
    labels: {},
    value: null,
    unit: null,
    firedAt: null,
    resolvedAt: null,
    text: t('sentTexts.alert.test', { by }),
  };
};

const linkOf = ({ connection }: Message): string | null => consoleLink(`/${connection}/alerts`);

const time = (at: number | null): string | null => (at === null ? null : iso(at));

const webhookBody = (message: Message): string =>
  JSON.stringify({
    ...message,
    firedAt: time(message.firedAt),
    resolvedAt: time(message.resolvedAt),
    href: linkOf(message),
  });

const titleOf = ({ event, name, connection }: Message, t: SentTexts): string =>
  t('sentTexts.alert.title', {
    event,
    connection,
    name: event === 'test' ? t('sentTexts.alert.testName') : name,
  });

const TONES = { critical: 'bad', warning: 'warn' } as const;

const slackBody = (message: Message, t: SentTexts): string => {
  const { text, description, event, severity } = message;
  return slackText({
    title: titleOf(message, t),
    text: [text, description].filter((line) => line !== '').join('\n'),
    tone: event === 'resolved' ? 'good' : TONES[severity],
    link: linkOf(message),
    linkTitle: t('alerts.title'),
  });
};

const mailOf = (message: Message, t: SentTexts): Outgoing['mail'] => {
  const { severity, text, description, firedAt, resolvedAt } = message;
  const lines = [
    text,
    description && `\n${description}`,
    '',
    t('sentTexts.alert.severity', { severity }),
    firedAt !== null && t('sentTexts.alert.firedAt', { at: utcText(firedAt) }),
    resolvedAt !== null && t('sentTexts.alert.resolvedAt', { at: utcText(resolvedAt) }),
    linkOf(message),
  ];
  return {
    subject: subjectOf(titleOf(message, t)),
    text: lines.filter((line) => typeof line === 'string').join('\n'),
  };
};

/** The message as each kind of channel sends it, in the language of its text. */
export const outgoingOf = (message: Message, language: Locale): Outgoing => {
  const t = sentTexts(language);
  return {
    id: message.id,
    webhook: webhookBody(message),
    slack: slackBody(message, t),
    mail: mailOf(message, t),
  };
};
