'use client';

import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { useConnection } from '@/components/patterns/connection';
import { figuresQuery } from '@/components/patterns/figures-query';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { onDemand } from '@/components/patterns/on-demand';
import { QueryProblem } from '@/components/patterns/query-problem';
import { useCommand } from '@/components/patterns/use-command';
import { useOpened } from '@/components/patterns/use-opened';
import type { AlertRule } from '@/lib/alerts/schema';
import { alertContracts } from '@/lib/alerts/schema';
import { ConditionFields } from './condition-fields';
import { alertQueries } from './queries';
import { EMPTY, fieldsOf, inputOf, isComplete, isEvaluable, type RuleFields } from './rule-form';
import { RulePast } from './rule-past';
import { RulePreview } from './rule-preview';
import { SourceFields } from './source-fields';

const ChannelDrawer = onDemand(async () => (await import('./channel-drawer')).ChannelDrawer);

type RuleDrawerProps = Pick<RowDrawerProps<AlertRule>, 'row' | 'opened' | 'onClose' | 'onClosed'>;

/** Creates a rule, or changes one, with what it would say now. */
export const RuleDrawer = ({ row: rule, ...drawer }: RuleDrawerProps) => {
  const t = useTranslations('alerts.form');
  const tWord = useTranslations('words');
  const { id: connection } = useConnection();
  const [fields, setFields] = useState<RuleFields>(() => (rule ? fieldsOf(rule) : EMPTY));
  const [template, setTemplate] = useState(0);
  const newChannel = useOpened<'new'>();
  const set = (change: Partial<RuleFields>) => setFields((now) => ({ ...now, ...change }));
  const figures = useQuery({ ...figuresQuery(connection), enabled: drawer.opened });
  const channels = useQuery({ ...alertQueries.channels(connection), enabled: drawer.opened });
  const { create, update } = alertContracts;
  const change = useCommand(rule ? update : create);
  const { error } = change;
  const figure = figures.data?.items.find(({ name }) => name === fields.metric);
  const unit = figure?.unit ?? rule?.unit ?? null;
  const name = fields.name.trim();
  return (
    <>
      <FormDrawer
        {...drawer}
        onReadOnly
        width="editor"
        isBelow={newChannel.about !== null}
        title={rule ? tWord('editName', { name: rule.name }) : t('create')}
        verb={t(rule ? 'save' : 'create')}
        blocked={!isComplete(fields)}
        change={change}
        input={(words) => ({
          ...inputOf(fields, unit),
          ...words,
          ...(rule && { id: rule.id, etag: rule.etag }),
        })}
        done={() => t(rule ? 'saved' : 'created', { name })}
      >
        <Stack gap="md">
          {figures.error && <QueryProblem of={figures} />}
          {channels.error && <QueryProblem of={channels} />}
          <SourceFields
            fields={fields}
            onChange={set}
            onTemplate={(next) => {
              setFields(next);
              setTemplate((count) => count + 1);
            }}
            figures={figures.data?.items}
            withTemplates={rule === null}
            error={error}
          />
          <ConditionFields
            key={template}
            fields={fields}
            onChange={set}
            unit={unit}
            channels={channels.data?.items}
            onNewChannel={() => newChannel.open('new')}
            error={error}
          />
          {fields.metric !== '' && <RulePreview figure={figure} fields={fields} />}
          {isEvaluable(fields) && <RulePast key={fields.metric} fields={fields} unit={unit} />}
        </Stack>
      </FormDrawer>
      {/* Beside the form, because its own form must not submit this one. */}
      <ChannelDrawer
        key={newChannel.key}
        row={null}
        page={channels.data}
        {...newChannel.props}
        onCreated={(id) => setFields((now) => ({ ...now, channels: [...now.channels, id] }))}
      />
    </>
  );
};
