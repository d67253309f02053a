'use client';

import { Text } from '@mantine/core';
import { IconChecklist, IconTool } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { RowName } from '@/components/data-table/row-name';
import { useConnection } from '@/components/patterns/connection';
import { FilterBar } from '@/components/patterns/filter-bar';
import { FilterSelect } from '@/components/patterns/filter-select';
import { useFormat } from '@/components/patterns/use-format';
import { type ConventionsReport, RULE_STATES, type RuleReport, SEVERITIES } from '@/lib/conventions/schema';
import { SeverityBadge, StateBadge } from './rule-badges';
import { filterRules, type RuleFilter } from './rule-order';

interface RulesTabProps {
  report: ConventionsReport | undefined;
  filter: RuleFilter;
  onFilter: (change: Partial<RuleFilter>) => void;
  onOpen: (rule: RuleReport) => void;
}

const NONE: RuleReport[] = [];

/** All rules with what the last check found, by state, severity and item of the checklist. */
export const RulesTab = ({ report, filter, onFilter, onOpen }: RulesTabProps) => {
  const t = useTranslations('conventions');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const rules = report?.rules ?? NONE;
  const rows = useMemo(() => filterRules(rules, filter), [rules, filter]);
  const columns = useColumns(onOpen);
  const active = Object.values(filter).filter((value) => value !== '').length;
  return (
    <>
      <FilterBar
        active={active}
        onClear={active > 0 ? () => onFilter({ state: '', severity: '', item: '' }) : undefined}
      >
        <FilterSelect
          label={tWord('state')}
          any={t('filter.anyState')}
          data={RULE_STATES.map((value) => ({ value, label: t(`state.${value}`) }))}
          value={filter.state}
          onChange={(state) => onFilter({ state })}
        />
        <FilterSelect
          label={tWord('severity')}
          any={t('filter.anySeverity')}
          data={SEVERITIES.map((value) => ({ value, label: t(`severity.${value}`) }))}
          value={filter.severity}
          onChange={(severity) => onFilter({ severity })}
        />
        <FilterSelect
          label={t('filter.item')}
          any={t('filter.anyItem')}
          data={(report?.checklist ?? []).map((item) => ({ value: item.id, label: item.title }))}
          value={filter.item}
          onChange={(item) => onFilter({ item })}
          width={260}
        />
      </FilterBar>
      <DataTable
        label={t('tabs.rules')}
        name={`conventions-${id}`}
        savesViews
        columns={columns}
        rows={rows}
        rowId={(rule) => rule.id}
        loading={report === undefined}
        live={[filter.state, filter.severity, filter.item]}
        onOpen={onOpen}
        empty={{ icon: IconChecklist, title: t('rules.empty'), text: t('rules.filtered') }}
      />
    </>
  );
};

/** "+3" in a warning colour, "−2" in a good one; "—" without a report of yesterday. */
const NewCount = ({ value }: { value: number | null }) => {
  const format = useFormat();
  if (value === null) return '—';
  const tone = value > 0 ? 'var(--kw-warn-text)' : value < 0 ? 'var(--kw-good-text)' : 'dimmed';
  const sign = value > 0 ? '+' : value < 0 ? '−' : '';
  return (
    <Text span inherit c={tone}>
      {sign}
      {format.count(Math.abs(value))}
    </Text>
  );
};

const Fixable = () => {
  const t = useTranslations('conventions.rules');
  return <IconTool size={16} display="block" role="img" aria-label={t('fixable')} />;
};

const useColumns = (onOpen: (rule: RuleReport) => void): DataColumn<RuleReport>[] => {
  const t = useTranslations('conventions');
  const tWord = useTranslations('words');
  return useMemo(
    (): DataColumn<RuleReport>[] => [
      {
        id: 'title',
        header: tWord('rule'),
        width: 300,
        pinned: true,
        cell: (rule) => <RowName onClick={() => onOpen(rule)}>{rule.title}</RowName>,
      },
      {
        id: 'state',
        header: tWord('state'),
        width: 130,
        cell: ({ state }) => <StateBadge state={state} />,
      },
      {
        id: 'severity',
        header: tWord('severity'),
        width: 110,
        cell: ({ severity }) => <SeverityBadge severity={severity} />,
      },
      countColumn({ id: 'count', header: t('column.count'), width: 100 }),
      countColumn({ id: 'of', header: t('column.of'), width: 100 }),
      {
        id: 'new',
        minor: true,
        header: t('column.new'),
        width: 150,
        align: 'right',
        cell: ({ newSinceYesterday }) => <NewCount value={newSinceYesterday} />,
        value: ({ newSinceYesterday }) => newSinceYesterday,
      },
      countColumn({
        id: 'waived',
        header: t('column.waived'),
        width: 80,
        card: 'hidden',
      }),
      {
        id: 'fixable',
        header: t('column.fixable'),
        width: 80,
        card: 'hidden',
        cell: ({ fixable }) => fixable && <Fixable />,
      },
    ],
    [t, onOpen, tWord],
  );
};
