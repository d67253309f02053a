'use client';

import { Badge, Group } from '@mantine/core';
import { IconAlertTriangle, IconBook2 } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn, keyColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { RowName } from '@/components/data-table/row-name';
import { byFigure } from '@/components/patterns/by-figure';
import { useConnection } from '@/components/patterns/connection';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { ApplicationSelect } from '@/components/patterns/filter-select';
import { Tooltip } from '@/components/patterns/tooltip';
import { useTtlWords } from '@/components/patterns/use-ttl-words';
import type { Catalog, CatalogFamily } from '@/lib/catalog/schema';
import { RoleLink } from './role-link';

export interface FamilyFilter {
  q: string;
  app: string;
  /** The order of the keys column. */
  order: string;
}

interface FamiliesTabProps {
  catalog: Catalog | undefined;
  filter: FamilyFilter;
  onFilter: (change: Partial<FamilyFilter>) => void;
  onOpen: (family: CatalogFamily) => void;
}

const NONE: CatalogFamily[] = [];

const matching = (families: readonly CatalogFamily[], { q, app }: FamilyFilter): CatalogFamily[] => {
  const text = q.trim().toLowerCase();
  return families.filter(
    (family) =>
      (app === '' || family.app === app) &&
      [family.id, family.title, family.pattern, family.role ?? ''].some((part) =>
        part.toLowerCase().includes(text),
      ),
  );
};

export const FamiliesTab = ({ catalog, filter, onFilter, onOpen }: FamiliesTabProps) => {
  const t = useTranslations('catalog.families');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const families = catalog?.families ?? NONE;
  const order = filter.order === 'asc' ? 'asc' : 'desc';
  const rows = useMemo(
    () => byFigure(matching(families, filter), ({ keys }) => keys, order),
    [families, filter, order],
  );
  const apps = useMemo(() => [...new Set(families.map(({ app }) => app))], [families]);
  const drifting = useMemo(() => new Set(catalog?.drift.map(({ family }) => family)), [catalog]);
  const columns = useColumns(drifting, onOpen);
  const isFiltered = filter.q !== '' || filter.app !== '';
  return (
    <>
      <FilterBar
        search={<SearchField label={t('search')} value={filter.q} onChange={(q) => onFilter({ q })} />}
        active={filter.app ? 1 : 0}
        onClear={isFiltered ? () => onFilter({ q: '', app: '' }) : undefined}
      >
        {apps.length > 1 && (
          <ApplicationSelect apps={apps} value={filter.app} onChange={(app) => onFilter({ app })} />
        )}
      </FilterBar>
      <DataTable
        label={t('label')}
        name={`catalog-${id}`}
        columns={columns}
        rows={rows}
        rowId={(family) => family.id}
        loading={catalog === undefined}
        live={[filter.q, filter.app, order]}
        sorting={{ by: 'keys', order, onSort: (_, next) => onFilter({ order: next }) }}
        onOpen={onOpen}
        empty={{
          icon: IconBook2,
          title: tWord('noFamilies'),
          text: families.length > 0 ? tWord('noFamilyMatches') : t('emptyText'),
        }}
      />
    </>
  );
};

const TitleCell = ({ family, onOpen }: { family: CatalogFamily; onOpen: () => void }) => {
  const t = useTranslations('catalog.families');
  return (
    <Group gap={6} wrap="nowrap">
      <RowName title={family.purpose} onClick={onOpen}>
        {family.title}
      </RowName>
      {family.shadowedBy !== null && (
        <Tooltip label={t('shadowedBy', { family: family.shadowedBy })}>
          <Badge size="xs" color="gray" style={{ flexShrink: 0 }}>
            {t('shadowed')}
          </Badge>
        </Tooltip>
      )}
    </Group>
  );
};

const DriftMark = () => {
  const t = useTranslations('catalog.families');
  return (
    <Tooltip label={t('drift')}>
      <IconAlertTriangle
        size={16}
        color="var(--kw-warn-text)"
        display="block"
        aria-label={t('drift')}
        role="img"
      />
    </Tooltip>
  );
};

const useColumns = (
  drifting: ReadonlySet<string>,
  onOpen: (family: CatalogFamily) => void,
): DataColumn<CatalogFamily>[] => {
  const tCatalog = useTranslations('catalog');
  const tWord = useTranslations('words');
  const ttlWords = useTtlWords();
  const roles = useTranslations('catalog.role');
  return useMemo(
    (): DataColumn<CatalogFamily>[] => [
      {
        id: 'title',
        header: tWord('family'),
        width: 190,
        pinned: true,
        cell: (family) => <TitleCell family={family} onOpen={() => onOpen(family)} />,
      },
      { id: 'app', header: tWord('application'), width: 100, card: 'hidden' },
      {
        id: 'role',
        header: tWord('role'),
        width: 120,
        cell: (family) => <RoleLink family={family} />,
        value: ({ role }) => (role ? roles(role) : null),
      },
      keyColumn({ id: 'pattern', header: tWord('pattern'), width: 220 }),
      { id: 'type', header: tWord('type'), width: 80, card: 'hidden' },
      {
        id: 'ttl',
        header: tWord('ttl'),
        width: 110,
        align: 'right',
        card: 'hidden',
        cell: (family) => ttlWords(family.ttl),
      },
      countColumn({
        id: 'keys',
        header: tWord('keys'),
        width: 80,
        sortable: true,
      }),
      {
        id: 'drift',
        header: tCatalog('tabs.drift'),
        width: 60,
        card: 'hidden',
        cell: (family) => drifting.has(family.id) && <DriftMark />,
        value: (family) => drifting.has(family.id),
      },
    ],
    [roles, drifting, onOpen, tWord, tCatalog, ttlWords],
  );
};
