'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn, keyColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { EntityText } from '@/components/patterns/entity-text';
import { HostileText } from '@/components/patterns/hostile-text';
import { RateBar } from '@/components/patterns/rate-bar';
import { useMay } from '@/components/patterns/viewer';
import type { EntityKind } from '@/lib/connections/schema';
import type { ViewedItem } from '@/lib/views/schema';

/** The kind of the publications that are viewed. */
const PUBLICATION = 'shout';

/** Null where the connection has no such kind, or several. */
const usePublicationKind = (): EntityKind | null => {
  const { entities } = useConnection();
  const mayOpen = useMay('keys:view');
  const [kind, ...others] = entities.filter(
    (candidate) => candidate.explored && candidate.kind === PUBLICATION,
  );
  return mayOpen && kind && others.length === 0 ? kind : null;
};

const nameOf = ({ title, slug, shoutId }: ViewedItem): string => title ?? slug ?? shoutId;

const NameCell = ({ item, kind }: { item: ViewedItem; kind: EntityKind | null }) => (
  <>
    <EntityText
      of={{
        kind: kind?.kind ?? null,
        app: kind?.app ?? null,
        id: item.shoutId,
        title: nameOf(item),
        linkable: kind !== null,
      }}
      max={100}
    />
    {item.title !== null && item.slug !== null && (
      <Dimmed size="xs">
        <HostileText max={100}>{item.slug}</HostileText>
      </Dimmed>
    )}
  </>
);

const shareOf = ({ views }: ViewedItem, total: number | null): number | null =>
  total !== null && total > 0 ? views / total : null;

/** `total`: views of all publications; null while that is unknown. */
export const useViewColumns = (total: number | null): DataColumn<ViewedItem>[] => {
  const t = useTranslations('views.column');
  const tViews = useTranslations('views');
  const tWord = useTranslations('words');
  const kind = usePublicationKind();
  return useMemo(
    (): DataColumn<ViewedItem>[] => [
      {
        id: 'publication',
        header: t('publication'),
        width: 300,
        pinned: true,
        cell: (item) => <NameCell item={item} kind={kind} />,
        value: nameOf,
      },
      keyColumn({ id: 'id', header: tWord('id'), width: 90, max: 40, of: ({ shoutId }) => shoutId }),
      // The first column shows it where the title is not known: this is for the export.
      keyColumn({ id: 'slug', header: t('slug'), hiddenAtFirst: true }),
      countColumn({
        id: 'views',
        header: tViews('title'),
        width: 100,
        of: (row) => row.viewsExact ?? row.views,
      }),
      {
        id: 'share',
        header: tWord('share'),
        width: 170,
        cell: (item) => <RateBar value={shareOf(item, total)} level="plain" />,
        value: (item) => shareOf(item, total),
      },
      countColumn({
        id: 'counted',
        header: tViews('figure.counted'),
        width: 100,
        of: (row) => row.countedExact ?? row.counted,
      }),
      countColumn({
        id: 'imported',
        header: tViews('imports.at'),
        width: 100,
        of: (row) => row.importedExact ?? row.imported,
      }),
    ],
    [t, kind, total, tWord, tViews],
  );
};
