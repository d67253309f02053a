'use client';

import { Button, Text } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useCallback } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { ScanFooter } from '@/components/data-table/scan-footer';
import { FilterBar, NO_STATUS, SearchField } from '@/components/patterns/filter-bar';
import { QueryProblem } from '@/components/patterns/query-problem';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useFormat } from '@/components/patterns/use-format';
import type { KeyElement } from '@/lib/key-values/schema';
import type { KeyDetails } from '@/lib/keys/schema';
import type { CollectionType } from './collections';
import type { OpenEdit } from './edits';
import { useElementColumns } from './element-columns';
import { isMasked } from './forms';
import { type ElementRow, useElements } from './use-elements';

interface ElementTableProps {
  details: KeyDetails;
  match: string;
  onMatch: (match: string) => void;
  onEdit: OpenEdit | null;
  onOpen: OpenEdit;
}

const idOf = ({ id }: ElementRow): string => id;

/** Secret names cannot be searched. */
const isNameless = ({ field, member }: KeyElement): boolean => {
  const name = field ?? member;
  return name !== undefined && isMasked(name);
};

/** Lists and streams have their own order, and no search. */
const SEARCHED: readonly string[] = ['hash', 'set', 'zset'];

/** The elements of a collection, page by page, with a search by glob. */
export const ElementTable = ({ details, match, onMatch, onEdit, onOpen }: ElementTableProps) => {
  const t = useTranslations('keys.inspector.elements');
  const format = useFormat();
  const type = details.type as CollectionType;
  const hasNames = details.elements.length === 0 || details.elements.some((element) => !isNameless(element));
  const searched = SEARCHED.includes(type) && hasNames;
  const elements = useElements(details, searched ? match : '');
  const columns = useElementColumns(details, onEdit);
  const open = useCallback((row: ElementRow) => onOpen({ kind: 'element', row }), [onOpen]);
  const count =
    details.length === null
      ? NO_STATUS
      : t(`count.${type}`, { count: details.length, shown: format.count(details.length) });
  return (
    <section aria-label={t('label')}>
      <StaleBanner error={elements.query.error} valuesFrom={elements.query.dataUpdatedAt} />
      {searched ? (
        <FilterBar
          search={
            <SearchField
              label={t(type === 'hash' ? 'searchFields' : 'searchMembers')}
              placeholder={t('searchHint')}
              value={match}
              onChange={onMatch}
              noSecrets
            />
          }
          onClear={match ? () => onMatch('') : undefined}
          status={count}
        />
      ) : (
        <Text size="sm" mb="sm">
          {count}
        </Text>
      )}
      {elements.query.isError && !elements.query.data ? (
        <QueryProblem of={elements.query} />
      ) : (
        <DataTable
          label={t('label')}
          name={`elements-${type}`}
          columns={columns}
          rows={elements.rows}
          rowId={idOf}
          {...elements.table}
          live={[match, type]}
          onOpen={open}
          empty={{ icon: IconListDetails, title: t('empty'), text: t(match ? 'emptySearch' : 'emptyText') }}
        />
      )}
      {(elements.paused || elements.outdated) && (
        <ScanFooter paused={elements.paused} onMore={elements.goOn}>
          {elements.outdated ? (
            <>
              {t('outdated')}{' '}
              <Button size="compact-xs" variant="default" onClick={elements.reload}>
                {t('reload')}
              </Button>
            </>
          ) : (
            t('paused', { count: elements.rows.length })
          )}
        </ScanFooter>
      )}
    </section>
  );
};
