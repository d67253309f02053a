'use client';

import { Select, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type FunctionComponent, useState } from 'react';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { HostileText } from '@/components/patterns/hostile-text';
import { useNow } from '@/components/patterns/now';
import { AbsoluteTime } from '@/components/patterns/relative-time';
import { TimeField } from '@/components/patterns/time-field';
import { useCommand } from '@/components/patterns/use-command';
import type { AlertRule, AlertSeries } from '@/lib/alerts/schema';
import { alertContracts } from '@/lib/alerts/schema';
import { labelsText } from './words';

type DrawerProps = Pick<RowDrawerProps<AlertRule>, 'opened' | 'onClose' | 'onClosed'>;
type RuleDrawerProps = DrawerProps & { rule: AlertRule };

/** The drawer of an action for the chosen rule. */
const ofRow =
  (Drawer: FunctionComponent<RuleDrawerProps>) =>
  ({ row, opened, onClose, onClosed }: RowDrawerProps<AlertRule>) =>
    row && <Drawer rule={row} opened={opened} onClose={onClose} onClosed={onClosed} />;

const HOUR_MS = 3_600_000;
const ALL = '';

interface SeriesSelectProps {
  choices: readonly { series: string | null; labels: AlertSeries['labels'] }[];
  /** null: all series. */
  value: string | null;
  onChange: (series: string | null) => void;
}

const SeriesSelect = ({ choices, value, onChange }: SeriesSelectProps) => {
  const t = useTranslations('alerts');
  const tWord = useTranslations('words');
  return (
    <Select
      label={tWord('series')}
      data={choices.map(({ series, labels }) => ({
        value: series ?? ALL,
        label: series === null ? t('silence.all') : labelsText(labels) || series,
      }))}
      value={value ?? ALL}
      onChange={(chosen) => onChange(chosen || null)}
      allowDeselect={false}
    />
  );
};

interface SilenceProps extends RuleDrawerProps {
  /** The series that was chosen. */
  ofSeries?: string;
}

export const SilenceDrawer = ({ rule, ofSeries, ...drawer }: SilenceProps) => {
  const t = useTranslations('alerts');
  const tWord = useTranslations('words');
  const now = useNow() ?? 0;
  const change = useCommand(alertContracts.silence);
  const [until, setUntil] = useState(() => new Date(Date.now() + HOUR_MS).toISOString());
  const choices = rule.series
    .filter(({ labels }) => labels !== null && Object.keys(labels).length > 0)
    .map(({ id: series, labels }) => ({ series, labels }));
  const [series, setSeries] = useState(
    () => choices.find((each) => each.series === ofSeries)?.series ?? null,
  );
  const isPast = until !== '' && Date.parse(until) <= now;
  return (
    <FormDrawer
      {...drawer}
      onReadOnly
      title={t('silence.title', { name: rule.name })}
      verb={t('rules.menu.silence')}
      change={change}
      blocked={until === '' || isPast}
      input={(words) => ({ ...words, id: rule.id, until, ...(series !== null && { series }) })}
      done={() => t(series === null ? 'silence.done' : 'silence.doneSeries', { name: rule.name })}
      stays="asItIs"
      staysValid={t('silence.stays')}
    >
      <Stack gap="md">
        <span>{t('silence.consequence')}</span>
        {choices.length > 0 && (
          <SeriesSelect
            choices={[{ series: null, labels: null }, ...choices]}
            value={series}
            onChange={setSeries}
          />
        )}
        {drawer.opened && (
          <TimeField
            label={tWord('until')}
            value={until}
            onChange={setUntil}
            error={isPast ? t('silence.past') : undefined}
          />
        )}
      </Stack>
    </FormDrawer>
  );
};

const UnsilenceDrawer = ({ rule, ...drawer }: RuleDrawerProps) => {
  const t = useTranslations('alerts');
  const change = useCommand(alertContracts.unsilence);
  const { silences } = rule;
  const [series, setSeries] = useState(silences[0]?.series ?? null);
  const silence = silences.find((each) => each.series === series);
  return (
    <FormDrawer
      {...drawer}
      onReadOnly
      title={t('unsilence.title', { name: rule.name })}
      verb={t('rules.menu.unsilence')}
      change={change}
      input={(words) => ({ ...words, id: rule.id, ...(series !== null && { series }) })}
      done={() => t('unsilence.done', { name: rule.name })}
    >
      <Stack gap="md">
        <SeriesSelect choices={silences} value={series} onChange={setSeries} />
        {silence && (
          <Text size="sm">
            {t.rich('unsilence.which', {
              by: () => <HostileText max={100}>{silence.by}</HostileText>,
              until: () => <AbsoluteTime at={silence.until} />,
              reason: () => <HostileText max={500}>{silence.reason}</HostileText>,
            })}
          </Text>
        )}
        <span>{t('unsilence.consequence')}</span>
      </Stack>
    </FormDrawer>
  );
};

const DeleteDrawer = ({ rule, ...drawer }: RuleDrawerProps) => {
  const t = useTranslations('alerts');
  const tWord = useTranslations('words');
  const change = useCommand(alertContracts.delete);
  return (
    <FormDrawer
      {...drawer}
      onReadOnly
      destructive
      title={tWord('deleteName', { name: rule.name })}
      verb={t('rules.menu.delete')}
      change={change}
      input={(words) => ({ ...words, id: rule.id, etag: rule.etag })}
      done={() => t('delete.done', { name: rule.name })}
    >
      {t('delete.consequence')}
    </FormDrawer>
  );
};

export const SilenceRule = ofRow(SilenceDrawer);
export const UnsilenceRule = ofRow(UnsilenceDrawer);
export const DeleteRule = ofRow(DeleteDrawer);
