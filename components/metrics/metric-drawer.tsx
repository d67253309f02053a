'use client';

import { Group, SegmentedControl, Select, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Drawer } from '@/components/patterns/drawer';
import { Facts } from '@/components/patterns/facts';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { KeyLink } from '@/components/patterns/key-link';
import { MetricProblemBadge, MetricValue } from '@/components/patterns/metric-value';
import { Panel } from '@/components/patterns/panel';
import { RangeControl } from '@/components/patterns/range-control';
import type { RangeId } from '@/components/patterns/ranges';
import { useFormat } from '@/components/patterns/use-format';
import { useLast } from '@/components/patterns/use-last';
import { useMay } from '@/components/patterns/viewer';
import type { MetricField, MetricItem } from '@/lib/metrics/schema';
import { visibleText } from '@/lib/visible-text';
import type { MetricGroup } from './metric-groups';
import { MetricHistory } from './metric-history';
import classes from './metrics.module.css';
import { PinButton } from './pin-button';

interface MetricDrawerProps {
  /** null: closed. */
  group: MetricGroup | null;
  period: string;
  range: RangeId;
  onPeriod: (period: string) => void;
  onRange: (range: RangeId) => void;
  onClose: () => void;
}

/** One metric: a period's value, what it was over time, and where it is stored. */
export const MetricDrawer = ({ group, onClose, ...rest }: MetricDrawerProps) => {
  // The drawer keeps its content while it closes.
  const shown = useLast(group);
  return (
    <Drawer
      opened={group !== null}
      onClose={onClose}
      inAddress
      width="wide"
      title={shown && <HostileText max={80}>{shown.name}</HostileText>}
    >
      {shown && <OneMetric group={shown} {...rest} />}
    </Drawer>
  );
};

type OneMetricProps = Omit<MetricDrawerProps, 'group' | 'onClose'> & { group: MetricGroup };

const OneMetric = ({ group, period, range, onPeriod, onRange }: OneMetricProps) => {
  const item = group.items.find((candidate) => candidate.period === period) ?? group.items[0]!;
  return (
    <Stack gap="md">
      {group.items.length > 1 && <Periods items={group.items} value={item.period} onChange={onPeriod} />}
      <MetricFacts item={item} />
      {item.kind === 'stats' && item.fields && <FieldList item={item} fields={item.fields} />}
      {(item.kind === 'metric' || item.fields) && (
        <History key={item.keyId} item={item} range={range} onRange={onRange} />
      )}
    </Stack>
  );
};

const MAX_SEGMENTS = 5;
const MAX_LABEL = 24;

interface PeriodsProps {
  items: readonly MetricItem[];
  value: string;
  onChange: (period: string) => void;
}

const Periods = ({ items, value, onChange }: PeriodsProps) => {
  const tWord = useTranslations('words');
  const data = items.map(({ period }) => ({ value: period, label: visibleText(period, MAX_LABEL) }));
  return items.length <= MAX_SEGMENTS ? (
    <SegmentedControl aria-label={tWord('period')} data={data} value={value} onChange={onChange} />
  ) : (
    <Select
      aria-label={tWord('period')}
      data={data}
      value={value}
      onChange={(period) => period !== null && onChange(period)}
      allowDeselect={false}
    />
  );
};

const MetricFacts = ({ item }: { item: MetricItem }) => {
  const tWord = useTranslations('words');
  const format = useFormat();
  const mayView = useMay('keys:view');
  const isUnknown = item.problem === 'gone' || item.problem === 'notPermitted';
  return (
    <Facts
      facts={[
        item.kind === 'metric'
          ? {
              label: tWord('value'),
              value: (
                <Group gap="sm">
                  <MetricValue figure={item} />
                  <PinButton figure={{ keyId: item.keyId }} name={item.name} />
                </Group>
              ),
            }
          : item.problem && { label: tWord('state'), value: <MetricProblemBadge problem={item.problem} /> },
        {
          label: tWord('expiresIn'),
          value: isUnknown
            ? '—'
            : item.ttlSeconds === null
              ? tWord('never')
              : format.duration(item.ttlSeconds),
        },
        {
          label: tWord('key'),
          value: mayView ? (
            <KeyLink keyId={item.keyId} underline="always">
              {item.key}
            </KeyLink>
          ) : (
            <KeyText>{item.key}</KeyText>
          ),
        },
      ]}
    />
  );
};

interface HistoryProps {
  item: MetricItem;
  range: RangeId;
  onRange: (range: RangeId) => void;
}

const History = ({ item, range, onRange }: HistoryProps) => {
  const tWord = useTranslations('words');
  return (
    <Panel title={tWord('overTime')} note={<RangeControl value={range} onChange={onRange} />}>
      <MetricHistory item={item} range={range} />
    </Panel>
  );
};

/** The fields of statistics with their values; each can be pinned. */
const FieldList = ({ item, fields }: { item: MetricItem; fields: readonly MetricField[] }) => {
  const tWord = useTranslations('words');
  return (
    <Panel title={tWord('fields')}>
      <ul className={classes.list} aria-label={tWord('fields')}>
        {fields.map(({ fieldId, field, ...figure }) => (
          <li key={fieldId} className={classes.row}>
            <HostileText max={60}>{field}</HostileText>
            <MetricValue figure={figure} />
            <PinButton figure={{ keyId: item.keyId, fieldId }} name={field} />
          </li>
        ))}
      </ul>
    </Panel>
  );
};
