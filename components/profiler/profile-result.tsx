'use client';

import { Alert, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { BarChart } from '@/components/charts/bar-chart';
import { Dimmed } from '@/components/patterns/dimmed';
import { FigureRow } from '@/components/patterns/figure-row';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { HostileText } from '@/components/patterns/hostile-text';
import { PageTabs } from '@/components/patterns/page-tabs';
import { Panel } from '@/components/patterns/panel';
import { useFormat } from '@/components/patterns/use-format';
import type { Profile } from '@/lib/profiler/schema';
import { CLIENTS, COMMANDS, FAMILIES, PATTERNS, ResultTable, SAMPLE, SLOW, USERS } from './result-tables';

export const TABS = ['families', 'commands', 'patterns', 'clients', 'users', 'slow', 'sample'] as const;
type Tab = (typeof TABS)[number];

interface ProfileResultProps {
  profile: Profile;
  tab: string;
  /** The text filter of the sample. */
  q: string;
  onChange: (change: { tab?: string; q?: string }) => void;
}

/** What a profile saw, and what it cost. */
export const ProfileResult = ({ profile, tab, q, onChange }: ProfileResultProps) => {
  const t = useTranslations('profiler');
  const shown: Tab = TABS.find((id) => id === tab) ?? 'families';
  return (
    <Stack gap="md">
      <Ended profile={profile} />
      <Figures profile={profile} />
      <Rates profile={profile} />
      <PageTabs
        tabs={TABS}
        value={shown}
        label={(id) => t(`tab.${id}`)}
        onTab={(next) => onChange({ tab: next, q: '' })}
      >
        <Dimmed mb="sm">{t(`means.${shown}`)}</Dimmed>
        <Rows key={shown} profile={profile} tab={shown} q={q} onSearch={(next) => onChange({ q: next })} />
        <NotShown profile={profile} tab={shown} />
      </PageTabs>
    </Stack>
  );
};

const Ended = ({ profile: { ended, filter, unknown, cost } }: { profile: Profile }) => {
  const t = useTranslations('profiler');
  const filters = Object.entries(filter);
  return (
    <>
      {ended.why !== 'complete' && (
        <Alert color="orange" title={t('endedEarly')}>
          {ended.text}
        </Alert>
      )}
      {cost.exceeded && (
        <Alert color="orange" title={t('exceeded')}>
          {t('exceededWhy')}
        </Alert>
      )}
      {filters.length > 0 && (
        <Text size="sm" component="div">
          {t('filtered')}{' '}
          {filters.map(([name, text]) => (
            <span key={name}>
              {t(`start.filter.${name as 'family'}`)}: <HostileText max={100}>{text}</HostileText>{' '}
            </span>
          ))}
        </Text>
      )}
      {unknown.length > 0 && <Dimmed>{unknown.map((source) => t(`unknown.${source}`)).join(' ')}</Dimmed>}
    </>
  );
};

const Figures = ({ profile }: { profile: Profile }) => {
  const t = useTranslations('profiler.figure');
  const tProfiler = useTranslations('profiler');
  const format = useFormat();
  const { cost, observedSeconds, elapsedSeconds, inScripts, calls } = profile;
  const seconds = (value: number | null | undefined) => t('seconds', { seconds: format.number(value, 2) });
  return (
    <FigureRow
      label={t('label')}
      loading={false}
      figures={[
        {
          id: 'rate',
          name: tProfiler('rates.title'),
          value: profile.commandsPerSecond,
          format: format.perSecond,
          note: t('rateOf', { seconds: format.number(observedSeconds, 2) }),
        },
        {
          id: 'calls',
          name: tProfiler('column.calls'),
          value: calls,
          note: t('inScripts', { count: inScripts }),
        },
        {
          id: 'observed',
          name: tProfiler('cost.coverage'),
          value: observedSeconds,
          format: seconds,
          note: t('coverage', {
            share: format.ratio(profile.observedShare),
            seconds: format.number(elapsedSeconds, 1),
          }),
        },
        {
          id: 'measured',
          name: t('measured'),
          value: cost.measuredShare,
          format: format.ratio,
          note: t('stated', {
            share: format.ratio(cost.statedShare),
            estimated: format.ratio(cost.estimatedShare),
          }),
        },
        {
          id: 'own',
          name: t('own'),
          value: profile.ownCalls,
          note: t(profile.ownCalls === null ? 'ownCounted' : 'ownMeans'),
        },
      ]}
    />
  );
};

const Rates = ({ profile: { points } }: { profile: Profile }) => {
  const t = useTranslations('profiler.rates');
  const format = useFormat();
  const bars = useMemo(
    () =>
      points.flatMap(({ second, perSecond }) =>
        perSecond === null
          ? []
          : [{ name: t('second', { second: second + 1 }), tick: `${second + 1}`, value: perSecond }],
      ),
    [points, t],
  );
  if (bars.length < 2) return null;
  return (
    <Panel title={t('title')} note={t('note')}>
      <BarChart
        label={t('title')}
        name="profile-rates"
        headers={{ name: t('when'), value: t('title') }}
        bars={bars}
        format={format.perSecond}
        height={160}
        dense
      />
    </Panel>
  );
};

interface RowsProps {
  profile: Profile;
  tab: Tab;
  q: string;
  onSearch: (q: string) => void;
}

const Rows = ({ profile, tab, q, onSearch }: RowsProps) => {
  const { families, commands, patterns, clients, users, slow } = profile;
  switch (tab) {
    case 'families':
      return <ResultTable id={tab} columns={FAMILIES} rows={families} rowId={({ family }) => family ?? ''} />;
    case 'commands':
      return (
        <ResultTable id={tab} columns={COMMANDS} rows={commands} rowId={({ command }) => command ?? ''} />
      );
    case 'patterns':
      return <ResultTable id={tab} columns={PATTERNS} rows={patterns} rowId={({ pattern }) => pattern} />;
    case 'clients':
      return <ResultTable id={tab} columns={CLIENTS} rows={clients} rowId={({ client }) => client} />;
    case 'users':
      return <ResultTable id={tab} columns={USERS} rows={users} rowId={({ user }) => user ?? ''} />;
    case 'slow':
      return (
        <ResultTable id={tab} columns={SLOW} rows={slow} rowId={(row) => `${slow?.indexOf(row) ?? ''}`} />
      );
    case 'sample':
      return <Sample profile={profile} q={q} onSearch={onSearch} />;
  }
};

const Sample = ({ profile: { sample }, q, onSearch }: Omit<RowsProps, 'tab'>) => {
  const t = useTranslations('profiler');
  const rows = useMemo(() => {
    const wanted = q.toLowerCase();
    return sample
      .map((line, i) => ({ ...line, id: `${i}` }))
      .filter(({ command, arguments: args, client, user }) =>
        `${command} ${args} ${client} ${user ?? ''}`.toLowerCase().includes(wanted),
      );
  }, [sample, q]);
  return (
    <>
      <FilterBar search={<SearchField value={q} onChange={onSearch} label={t('search')} noSecrets />} />
      <ResultTable id="sample" columns={SAMPLE} rows={rows} rowId={({ id }) => id} />
    </>
  );
};

/** Calls in rows that are not listed. */
const NotShown = ({ profile: { notShown }, tab }: { profile: Profile; tab: Tab }) => {
  const t = useTranslations('profiler');
  const calls = tab in notShown ? notShown[tab as keyof typeof notShown] : 0;
  return calls > 0 ? <Dimmed mt="xs">{t('notShown', { count: calls })}</Dimmed> : null;
};
