'use client';

import { Checkbox } from '@mantine/core';
import { IconTerminal2 } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { declareList, type ListPartProps } from '@/components/contract-list/declare-list';
import {
  countColumn,
  keyColumn,
  microsColumn,
  perSecondColumn,
  rateColumn,
} from '@/components/data-table/column-kinds';
import { NO_STATUS } from '@/components/patterns/filter-bar';
import { useFormat } from '@/components/patterns/use-format';
import type { Result } from '@/lib/contract';
import { UNKNOWN } from '@/lib/format';
import { type CommandStats, serverContracts } from '@/lib/server/schema';
import { Missing, Refused } from './parts';

type Page = Result<typeof serverContracts.commands>;

/** The server's limit. */
const MAX_SEARCH = 100;

const percentileOf = ({ percentiles }: CommandStats, wanted: number): number | null =>
  percentiles.find(({ percentile }) => percentile === wanted)?.micros ?? null;

const FailingOnly = ({ url, onChange }: ListPartProps<Page>) => {
  const t = useTranslations('server.commands');
  return (
    <Checkbox
      mb="sm"
      label={t('failing')}
      checked={url.failing === 'true'}
      onChange={(event) => onChange({ failing: event.currentTarget.checked ? 'true' : '' })}
    />
  );
};

const Rates = ({ of: page }: { of: Page | undefined }) => {
  const t = useTranslations('server.commands');
  const format = useFormat();
  if (!page) return NO_STATUS;
  if (page.refused) return UNKNOWN;
  return page.windowSeconds === null
    ? t('noWindow')
    : t('window', {
        rate: format.perSecond(page.callsPerSecond),
        window: format.number(page.windowSeconds),
      });
};

/** How often each command is called, how long it takes and how often it fails. Column ids are the server's orders. */
export const COMMAND_LIST = declareList({
  contract: serverContracts.commands,
  texts: 'server.commands',
  name: 'command-statistics',
  icon: IconTerminal2,
  rowId: ({ command }) => command,
  rowName: ({ command }) => command,
  // Rates are over the time between two of these.
  everyMs: 3000,
  intro: ({ page }) => <Refused refused={page?.refused} />,
  search: 'plain',
  facets: { names: ['failing'], of: FailingOnly },
  inputOf: ({ q, failing }) => ({
    ...(q && { q: q.slice(0, MAX_SEARCH) }),
    ...(failing === 'true' && { failing: true }),
  }),
  ownFiltered: true,
  status: Rates,
  isUnknown: ({ refused }) => refused !== null,
  sort: { by: 'time', order: 'desc' },
  columns: [
    keyColumn<CommandStats>({ id: 'command', width: 150, pinned: true }),
    countColumn<CommandStats>({ id: 'calls', width: 100, sortable: true }),
    perSecondColumn<CommandStats>({ id: 'rate', width: 90, sortable: true, of: (row) => row.callsPerSecond }),
    microsColumn<CommandStats>({ id: 'perCall', width: 90, sortable: true, of: (row) => row.usecPerCall }),
    rateColumn<CommandStats>({ id: 'time', width: 90, sortable: true, of: ({ timeShare }) => timeShare }),
    microsColumn<CommandStats>({
      id: 'p50',
      width: 90,
      hiddenAtFirst: true,
      of: (row) => percentileOf(row, 50),
    }),
    microsColumn<CommandStats>({ id: 'p99', width: 90, of: (row) => percentileOf(row, 99) }),
    countColumn<CommandStats>({ id: 'rejected', width: 90, sortable: true, of: (row) => row.rejectedCalls }),
    countColumn<CommandStats>({ id: 'failed', width: 90, sortable: true, of: (row) => row.failedCalls }),
  ],
  footer: ({ page }) => <Missing commands={page?.missing ?? []} />,
});
