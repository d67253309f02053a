'use client';

import { Button, Progress, Text } from '@mantine/core';
import { IconGauge, IconQuestionMark, IconRestore, IconTool } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { AddressedList } from '@/components/contract-list/addressed-list';
import { declareList, type ListPartProps } from '@/components/contract-list/declare-list';
import { countColumn, timeColumn } from '@/components/data-table/column-kinds';
import { Description } from '@/components/patterns/description';
import { FilterSelect } from '@/components/patterns/filter-select';
import { onDemand } from '@/components/patterns/on-demand';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useFormat } from '@/components/patterns/use-format';
import { useUrlState } from '@/components/patterns/use-url-state';
import type { Result } from '@/lib/contract';
import { KNOWN_PROJECTS, type RateWindow, rateLimitContracts } from '@/lib/rate-limits/schema';
import { NO_TEST } from './address';
import { LimitsNote } from './limits-note';
import { WhatIfPanel } from './what-if-panel';
import {
  LimitFigure,
  PeriodFigure,
  ProjectCell,
  RemainingFigure,
  SourceText,
  StateBadge,
  UseCell,
} from './window-parts';

type Page = Result<typeof rateLimitContracts.list>;

/** An explanation of the list, and the test of a different limit. */
const Intro = ({ page }: ListPartProps<Page>) => {
  const t = useTranslations('rateLimits');
  const [test, setTest] = useUrlState(NO_TEST);
  const isTesting = Object.values(test).some((value) => value !== '');
  return (
    <>
      <Description
        actions={
          <Button
            variant="default"
            leftSection={<IconQuestionMark size={16} aria-hidden />}
            aria-expanded={isTesting}
            onClick={() => setTest({ ...NO_TEST, whatif: isTesting ? '' : '1' })}
          >
            {t('whatIf.open')}
          </Button>
        }
      >
        {t('explain')}
      </Description>
      {isTesting && <WhatIfPanel url={test} onChange={setTest} />}
      {page && !page.complete && page.limits.status !== 'loading' && <Reading page={page} />}
    </>
  );
};

const Reading = ({ page: { progress, total } }: { page: Page }) => {
  const t = useTranslations('rateLimits.counts');
  const format = useFormat();
  return (
    <div style={{ marginBottom: 12 }}>
      <Text size="sm">{t('reading', { share: format.ratio(progress), total })}</Text>
      <Progress value={progress * 100} size="sm" mt={4} aria-label={t('progress')} />
    </div>
  );
};

const CountedAt = ({ of: page }: { of: Page | undefined }) => {
  const tWord = useTranslations('words');
  if (!page?.complete) return null;
  return tWord.rich('countedAt', { age: () => <RelativeTime at={page.sampledAt} /> });
};

/** Hidden without a source of limits, because no project is known then. */
const KnownSelect = ({ page, url, onChange }: ListPartProps<Page>) => {
  const t = useTranslations('rateLimits.known');
  if (!url.known && !page?.limits.projects) return null;
  return (
    <FilterSelect
      label={t('label')}
      any={t('any')}
      data={KNOWN_PROJECTS.map((value) => ({ value, label: t(value) }))}
      value={url.known ?? ''}
      onChange={(known) => onChange({ known })}
    />
  );
};

const ChangeWindow = onDemand(async () => (await import('./change-window')).ChangeWindow);

/** Refused projects first. */
export const WINDOWS = declareList({
  contract: rateLimitContracts.list,
  texts: 'rateLimits',
  name: 'rate-limits',
  icon: IconGauge,
  rowId: ({ fieldId }) => fieldId,
  rowName: ({ field }) => field,
  everyMs: 5000,
  intro: Intro,
  search: 'plain',
  facets: { names: ['known'], of: KnownSelect, inBar: true },
  inputOf: ({ known, ...filter }) => {
    const project = KNOWN_PROJECTS.find((name) => name === known);
    return { ...filter, ...(project && { project }) };
  },
  states: {
    name: 'state',
    tones: {
      limited: 'bad',
      unreadable: 'bad',
      near: 'warn',
      ok: 'good',
      expired: 'quiet',
      unlimited: 'quiet',
    },
    total: ({ total }) => total,
    // Without limits every state would be a guess.
    count: ({ limits, counts }, state) => (limits.status === 'loading' ? null : counts[state]),
    age: CountedAt,
  },
  isReading: ({ complete }) => !complete,
  sort: { by: 'use' },
  columns: [
    {
      id: 'project',
      width: 214,
      // An id is not broken before its last digit.
      least: 208,
      pinned: true,
      cell: (window) => <ProjectCell window={window} />,
      value: ({ field }) => field,
    },
    {
      id: 'state',
      width: 124,
      pinned: true,
      cell: ({ state }) => <StateBadge state={state} />,
    },
    {
      id: 'use',
      width: 150,
      sortable: true,
      cell: (window) => <UseCell window={window} />,
    },
    countColumn<RateWindow>({ id: 'count', width: 84, sortable: true }),
    {
      id: 'limit',
      width: 112,
      align: 'right',
      cell: ({ limit, limitSource }) => <LimitFigure limit={limit} source={limitSource} />,
    },
    {
      id: 'period',
      width: 104,
      align: 'right',
      cell: ({ periodSeconds, periodSource }) => (
        <PeriodFigure seconds={periodSeconds} source={periodSource} />
      ),
      value: ({ periodSeconds }) => periodSeconds,
    },
    {
      id: 'remaining',
      width: 92,
      align: 'right',
      cell: (window) => <RemainingFigure window={window} />,
    },
    timeColumn<RateWindow>({ id: 'windowStart', width: 112 }),
    timeColumn<RateWindow>({ id: 'resetsAt', width: 96 }),
    {
      id: 'limitSource',
      width: 110,
      hiddenAtFirst: true,
      cell: ({ limitSource }) => <SourceText source={limitSource} />,
    },
    {
      id: 'periodSource',
      width: 110,
      hiddenAtFirst: true,
      cell: ({ periodSource }) => <SourceText source={periodSource} />,
    },
  ],
  footer: ({ page }) => page && <LimitsNote limits={page.limits} />,
  actions: {
    reset: {
      permission: 'guard:write',
      icon: IconRestore,
      isOffered: ({ raw, state }) => raw !== null && state !== 'unreadable',
      drawer: ChangeWindow,
    },
    repair: {
      permission: 'guard:write',
      icon: IconTool,
      isOffered: ({ raw, state }) => raw !== null && state === 'unreadable',
      drawer: ChangeWindow,
    },
  },
  details: onDemand(async () => (await import('./window-drawer')).WindowDrawer),
});

/** Rate limit windows by project, and a test of a different limit. */
export const RateLimits = () => <AddressedList list={WINDOWS} />;
