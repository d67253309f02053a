'use client';

import { IconSearchOff } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { keyColumn } from '@/components/data-table/column-kinds';
import { DataTable } from '@/components/data-table/data-table';
import { declareColumns, useDeclaredColumns } from '@/components/data-table/declared-columns';
import { ScanFooter, ScannedKeys } from '@/components/data-table/scan-footer';
import { useScanTable } from '@/components/data-table/use-scan-table';
import { useConnection } from '@/components/patterns/connection';
import { EntityRefText, entityHref, kindRef } from '@/components/patterns/entity-link';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { kindLabel } from '@/components/patterns/kind-label';
import { listQuery } from '@/components/patterns/list-query';
import { QueryProblem } from '@/components/patterns/query-problem';
import { Select } from '@/components/patterns/select';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { wholeOf } from '@/components/patterns/whole';
import { type EntityKindRow, type EntityRef, entityContracts } from '@/lib/entities/schema';
import { type EntityFields, kindNamed, type SetEntityFields } from './address';
import classes from './entities.module.css';

const rowIdOf = ({ kind, app, id }: EntityRef): string => `${kindRef({ kind: kind ?? '', app })} ${id}`;

export const ENTITY_COLUMNS = declareColumns<EntityRef>('entities.find.column', [
  {
    id: 'entity',
    width: 360,
    pinned: true,
    cell: (of) => <EntityRefText of={of} max={120} />,
    value: ({ title, id }) => title || id,
  },
  keyColumn<EntityRef>({ id: 'id', width: 260 }),
]);

interface FindTabProps {
  /** Undefined while loading. */
  kinds: readonly EntityKindRow[] | undefined;
  url: EntityFields;
  setUrl: SetEntityFields;
}

/** Entities of a kind, all or by id, name or slug, as the scan finds them. */
export const FindTab = ({ kinds = [], url, setUrl }: FindTabProps) => {
  const t = useTranslations('entities.find');
  const tWord = useTranslations('words');
  const kind = kindNamed(kinds, url.kind) ?? kinds[0];
  return (
    <>
      <FilterBar
        search={
          <SearchField
            value={url.q}
            onChange={(q) => setUrl({ q: q.trim() })}
            label={t('search')}
            noSecrets
          />
        }
        actions={
          <Select
            aria-label={tWord('kind')}
            data={kinds.map((each) => ({ value: each.ref, label: kindLabel(kinds, each) }))}
            value={kind?.ref ?? null}
            onChange={(ref) => ref && setUrl({ kind: ref })}
            allowDeselect={false}
            searchable={kinds.length > 8}
            className={classes.kind}
          />
        }
        onClear={url.q ? () => setUrl({ q: '' }) : undefined}
      />
      <Found kind={kind} q={url.q} />
    </>
  );
};

/** `kind` is undefined while the kinds are loading. */
const Found = ({ kind, q }: { kind: EntityKindRow | undefined; q: string }) => {
  const t = useTranslations('entities.find');
  const tWord = useTranslations('words');
  const { id: connection } = useConnection();
  const router = useRouter();
  const query = useInfiniteQuery({
    ...listQuery(entityContracts.search, {
      connection,
      filter: { kind: kind?.ref ?? '', ...(q && { q }) },
      everyMs: false,
    }),
    enabled: kind !== undefined,
  });
  const found = useScanTable(query, rowIdOf);
  const columns = useDeclaredColumns(ENTITY_COLUMNS);
  if (query.isError && !query.data) return <QueryProblem of={query} />;
  const open = (of: EntityRef) => {
    if (of.kind !== null && of.linkable) router.push(entityHref(connection, { ...of, kind: of.kind }));
  };
  const empty = found.paused ? 'soFar' : q ? 'filtered' : 'none';
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <DataTable
        {...found.table}
        label={tWord('entities')}
        name="entities"
        columns={columns}
        onOpen={open}
        empty={{
          icon: IconSearchOff,
          title: t(`empty.${empty}.title`),
          text: t(`empty.${empty}.text`, { kind: kind?.title ?? '', hint: kind?.idHint ?? '' }),
        }}
      />
      {query.data && !found.table.loading && (
        <ScanFooter paused={found.paused} onMore={found.goOn}>
          <ScannedKeys
            count={found.examined}
            keys={wholeOf(found.examined, query.data.pages.at(-1)?.total)}
            complete={!query.hasNextPage}
          />
        </ScanFooter>
      )}
    </>
  );
};
