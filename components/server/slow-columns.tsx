'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { keyColumn, textColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { HostileText } from '@/components/patterns/hostile-text';
import { useMicros } from '@/components/patterns/use-micros';
import { UNKNOWN } from '@/lib/format';
import type { SlowLogEntry } from '@/lib/server/schema';
import { OwnBadge } from './parts';

/** The command with its arguments as they may be shown; `…` stands for more of them. */
export const callText = ({ command, arguments: shown, argumentsTotal }: SlowLogEntry): string =>
  [command, ...shown.map(({ text }) => text), ...(argumentsTotal > shown.length ? ['…'] : [])].join(' ');

export const clientText = ({ client: { name, address } }: SlowLogEntry): string => name ?? address ?? UNKNOWN;

const nodeOf = ({ node }: SlowLogEntry): string => node ?? UNKNOWN;

/** `hasNodes`: they are of several primaries. */
export const useSlowColumns = (hasNodes: boolean): DataColumn<SlowLogEntry>[] => {
  const t = useTranslations('server');
  const micros = useMicros();
  return useMemo(
    () => [
      keyColumn({
        id: 'call',
        header: t('column.call'),
        width: 320,
        pinned: true,
        max: 120,
        of: callText,
      }),
      {
        id: 'duration',
        header: t('column.duration'),
        width: 90,
        align: 'right',
        cell: ({ durationMicros }) => micros(durationMicros),
        value: ({ durationMicros }) => durationMicros,
      },
      textColumn({
        id: 'families',
        header: t('column.families'),
        width: 180,
        of: ({ families }) => families.map(({ title }) => title).join(', ') || null,
      }),
      {
        id: 'client',
        header: t('column.client'),
        width: 150,
        value: clientText,
        cell: (entry) => (
          <>
            <HostileText max={60}>{clientText(entry)}</HostileText>
            <OwnBadge of={entry} />
          </>
        ),
      },
      timeColumn({ id: 'at', header: t('column.at'), width: 100, of: ({ at }) => at }),
      ...(hasNodes
        ? [keyColumn<SlowLogEntry>({ id: 'node', header: t('column.node'), width: 150, of: nodeOf })]
        : []),
      textColumn({
        id: 'address',
        header: t('column.address'),
        hiddenAtFirst: true,
        of: ({ client }) => client.address,
      }),
    ],
    [t, micros, hasNodes],
  );
};
