import type { AlertRule, alertContracts } from '@/lib/alerts/schema';
import type { WireInput } from '@/lib/contract';
import type { FigureItem } from '@/lib/exposition/schema';

/** The unit in which the limit is entered and shown: that of the figure, or percent of the earlier value. */
export const limitUnitOf = (
  { condition, changeIn }: Pick<RuleFields, 'condition' | 'changeIn'>,
  unit: string | null,
): string | null => (condition === 'change' && changeIn === 'percent' ? 'percent' : unit);

/** A ratio is entered in percent. */
const factorOf = (...of: Parameters<typeof limitUnitOf>): number =>
  limitUnitOf(...of) === 'ratio' ? 100 : 1;

/** Without the digits that a multiplication adds. */
const rounded = (value: number): number => Number(value.toPrecision(12));

/** A limit as the form shows it, and as a rule has it. */
const entered = <T extends number | null>(value: T, ...of: Parameters<typeof limitUnitOf>) =>
  value === null ? '' : rounded(value * factorOf(...of));
const stored = (value: number | string, ...of: Parameters<typeof limitUnitOf>): number =>
  rounded(Number(value) / factorOf(...of));

/** The fields of the form; numbers may be empty while somebody types. */
export interface RuleFields {
  name: string;
  description: string;
  severity: AlertRule['severity'];
  metric: string;
  labels: Record<string, string>;
  condition: AlertRule['condition'];
  value: number | string;
  changeIn: AlertRule['changeIn'];
  windowSeconds: number;
  forSeconds: number;
  clear: number | string;
  clearForSeconds: number;
  onNoData: AlertRule['onNoData'];
  channels: string[];
}

export const EMPTY: RuleFields = {
  name: '',
  description: '',
  severity: 'warning',
  metric: '',
  labels: {},
  condition: 'above',
  value: '',
  changeIn: 'absolute',
  windowSeconds: 600,
  forSeconds: 0,
  clear: '',
  clearForSeconds: 0,
  onNoData: 'keep',
  channels: [],
};

export const fieldsOf = (rule: AlertRule): RuleFields => ({
  name: rule.name,
  description: rule.description,
  severity: rule.severity,
  metric: rule.source.metric,
  labels: rule.source.labels ?? {},
  condition: rule.condition,
  value: entered(rule.value, rule, rule.unit),
  clear: entered(rule.clear, rule, rule.unit),
  changeIn: rule.changeIn,
  windowSeconds: rule.windowSeconds,
  forSeconds: rule.forSeconds,
  clearForSeconds: rule.clearForSeconds,
  onNoData: rule.onNoData,
  channels: rule.channels.flatMap(({ id, kind }) => (kind === null ? [] : id)),
});

/** What is watched, and when it fires. `unit`: of the figure. */
export const termsOf = (
  fields: RuleFields,
  unit: string | null,
): WireInput<typeof alertContracts.preview> => {
  const { metric, labels, condition, changeIn, windowSeconds, forSeconds, clearForSeconds, onNoData } =
    fields;
  return {
    source: { metric, labels },
    condition,
    changeIn,
    windowSeconds,
    forSeconds,
    clearForSeconds,
    onNoData,
    value: stored(fields.value, fields, unit),
    clear: fields.clear === '' ? null : stored(fields.clear, fields, unit),
  };
};

export const inputOf = (
  fields: RuleFields,
  unit: string | null,
): WireInput<typeof alertContracts.create> => ({
  ...termsOf(fields, unit),
  name: fields.name.trim(),
  description: fields.description,
  severity: fields.severity,
  channels: fields.channels,
});

/** Whether what it watches and its limit are given. */
export const isEvaluable = ({ metric, value }: RuleFields): boolean =>
  metric !== '' && value !== '' && Number.isFinite(Number(value));

export const isComplete = (fields: RuleFields): boolean => fields.name.trim() !== '' && isEvaluable(fields);

/** Series that the fields select, and how many are beyond the limit now; null for a change, which needs a history. */
export const previewOf = (figure: FigureItem | undefined, fields: RuleFields) => {
  const wanted = Object.entries(fields.labels);
  const series = (figure?.values ?? []).filter(({ labels }) =>
    wanted.every(([name, value]) => labels[name] === value),
  );
  if (fields.condition === 'change' || fields.value === '') return { series, beyond: null };
  const limit = stored(fields.value, fields, figure?.unit ?? null);
  const beyond = series.filter(({ value }) => (fields.condition === 'above' ? value > limit : value < limit));
  return { series, beyond: beyond.length };
};

type Template = Pick<RuleFields, 'metric' | 'condition' | 'value'> & Partial<RuleFields>;

/** Rules that most connections want, as the form has them; those whose figure exists are offered. */
export const TEMPLATES = {
  noisyAddress: {
    metric: 'keyward_guard_addresses_over_threshold',
    condition: 'above',
    value: 0,
    severity: 'critical',
    clearForSeconds: 60,
  },
  down: { metric: 'keyward_redis_up', condition: 'below', value: 1, forSeconds: 30, severity: 'critical' },
  memory: {
    metric: 'keyward_redis_memory_used_ratio',
    condition: 'above',
    value: 90,
    clear: 85,
    forSeconds: 60,
    severity: 'critical',
  },
  evictions: {
    metric: 'keyward_redis_evicted_keys_per_second',
    condition: 'above',
    value: 0,
    forSeconds: 60,
  },
  hitRatio: {
    metric: 'keyward_family_hit_ratio',
    condition: 'below',
    value: 50,
    clear: 60,
    forSeconds: 600,
  },
  queue: { metric: 'keyward_queue_length', condition: 'above', value: 1000, forSeconds: 300 },
  score: { metric: 'keyward_conventions_score', condition: 'change', value: -5, windowSeconds: 86_400 },
} as const satisfies Record<string, Template>;
export type TemplateId = keyof typeof TEMPLATES;

export const templatesFor = (figures: readonly FigureItem[]): TemplateId[] =>
  (Object.keys(TEMPLATES) as TemplateId[]).filter((id) =>
    figures.some(({ name, values }) => name === TEMPLATES[id].metric && values.length > 0),
  );
