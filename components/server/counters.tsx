'use client';

import { useTranslations } from 'next-intl';
import { countColumn, keyColumn } from '@/components/data-table/column-kinds';
import { declareColumns, useDeclaredColumns } from '@/components/data-table/declared-columns';
import { ShortTable } from '@/components/data-table/short-table';
import { useFormat } from '@/components/patterns/use-format';
import type { ServerSections } from '@/lib/server/schema';
import { Section } from './section';

type Kind = NonNullable<ServerSections['counters']['figures']>['errors'][number];

const kindOf = ({ kind }: Kind): string => kind;

export const ERROR_COLUMNS = declareColumns<Kind>('server.column', [
  keyColumn<Kind>({ id: 'kind', header: 'error', width: 180, pinned: true, max: 60, of: kindOf }),
  countColumn<Kind>({ id: 'count', width: 90 }),
]);

/** Counts since the server started or reset them, and its error replies by kind. */
export const Counters = ({ counters }: { counters: ServerSections['counters'] }) => {
  const t = useTranslations('server');
  const tWord = useTranslations('words');
  const format = useFormat();
  const { figures } = counters;
  const columns = useDeclaredColumns(ERROR_COLUMNS);
  return (
    <Section
      name="counters"
      section={counters}
      findings={counters.findings.map((finding) => t(`finding.${finding}`))}
      facts={
        figures && [
          { label: t('tab.commands'), value: format.count(figures.commands) },
          { label: tWord('connections'), value: format.count(figures.connections) },
          { label: t('fact.rejected'), value: format.count(figures.rejectedConnections) },
          { label: t('fact.errors'), value: format.count(figures.errorReplies) },
        ]
      }
    >
      <ShortTable
        label={t('errorsByKind')}
        name="server-errors"
        columns={columns}
        rows={figures?.errors ?? []}
        rowId={kindOf}
      />
    </Section>
  );
};
