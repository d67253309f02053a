'use client';

import { Button, Group, type OptionsFilter, Select, Textarea, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { fieldError } from '@/components/patterns/field-error';
import { useMetricName } from '@/components/patterns/figure-words';
import { ServerSentence } from '@/components/patterns/server-sentence';
import type { FigureItem } from '@/lib/exposition/schema';
import { EMPTY, type RuleFields, TEMPLATES, templatesFor } from './rule-form';

/** By what people call a figure, or by its name in Prometheus. */
const byNameOrLabel: OptionsFilter = ({ options, search }) => {
  const wanted = search.trim().toLowerCase();
  return options.filter(
    (option) => 'value' in option && `${option.label} ${option.value}`.toLowerCase().includes(wanted),
  );
};

interface SourceFieldsProps {
  fields: RuleFields;
  onChange: (change: Partial<RuleFields>) => void;
  /** Instead of the fields so far. */
  onTemplate: (fields: RuleFields) => void;
  /** undefined while they load. */
  figures: readonly FigureItem[] | undefined;
  withTemplates: boolean;
  error: unknown;
}

/** Name, and what is watched: a figure, and values of its labels. */
export const SourceFields = ({
  fields,
  onChange,
  onTemplate,
  figures,
  withTemplates,
  error,
}: SourceFieldsProps) => {
  const t = useTranslations('alerts');
  const tWord = useTranslations('words');
  const metricName = useMetricName();
  const figure = figures?.find(({ name }) => name === fields.metric);
  const templates = withTemplates ? templatesFor(figures ?? []) : [];
  return (
    <>
      {templates.length > 0 && (
        <Group
          gap="xs"
          component="fieldset"
          aria-label={t('template.label')}
          m={0}
          p={0}
          style={{ border: 0 }}
        >
          {templates.map((id) => (
            <Button
              key={id}
              size="compact-sm"
              variant="light"
              onClick={() =>
                onTemplate({
                  ...EMPTY,
                  ...TEMPLATES[id],
                  channels: fields.channels,
                  name: t(`template.${id}`),
                })
              }
            >
              {t(`template.${id}`)}
            </Button>
          ))}
        </Group>
      )}
      <TextInput
        label={tWord('name')}
        value={fields.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={fieldError(error, 'name')}
        maxLength={100}
        autoComplete="off"
        required
        data-autofocus
      />
      <Select
        label={t('column.metric')}
        description={
          figure && (
            <>
              {figure.name}: <ServerSentence max={300}>{figure.help}</ServerSentence>
            </>
          )
        }
        placeholder={t('form.chooseMetric')}
        data={(figures ?? []).map(({ name }) => ({ value: name, label: metricName(name) }))}
        filter={byNameOrLabel}
        value={fields.metric || null}
        onChange={(metric) => onChange({ metric: metric ?? '', labels: {} })}
        error={fieldError(error, 'source.metric')}
        searchable
        required
        nothingFoundMessage={t('form.noMetric')}
      />
      {(figure?.labels ?? []).map((label) => (
        <Select
          key={label}
          label={t('form.label', { label })}
          placeholder={t('form.anyLabel')}
          data={valuesOf(figure!, label, fields.labels[label])}
          value={fields.labels[label] ?? null}
          onChange={(value) => onChange({ labels: withLabel(fields.labels, label, value) })}
          searchable
          clearable
        />
      ))}
      <Textarea
        label={tWord('description')}
        description={t('form.descriptionHint')}
        value={fields.description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
        maxLength={500}
        autosize
        minRows={1}
        maxRows={4}
      />
    </>
  );
};

/** The values a label has now, and the one that is chosen. */
const valuesOf = ({ values }: FigureItem, label: string, chosen: string | undefined): string[] => {
  const found = new Set(values.flatMap(({ labels }) => labels[label] ?? []));
  if (chosen !== undefined) found.add(chosen);
  return [...found].sort();
};

const withLabel = (labels: RuleFields['labels'], label: string, value: string | null) => {
  const { [label]: _, ...others } = labels;
  return value === null ? others : { ...others, [label]: value };
};
