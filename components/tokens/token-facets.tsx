'use client';

import { Chip, Group, Skeleton, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { type ReactNode, useMemo } from 'react';
import type { ListPartProps } from '@/components/contract-list/declare-list';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { listQuery } from '@/components/patterns/list-query';
import { RelativeTime } from '@/components/patterns/relative-time';
import { sessionStatsQuery } from '@/components/patterns/session-stats-query';
import { providerName, useVerificationType } from '@/components/patterns/token-words';
import { useFormat } from '@/components/patterns/use-format';
import type { SessionStats } from '@/lib/sessions/schema';
import { tokenContracts } from '@/lib/tokens/schema';
import { visibleText } from '@/lib/visible-text';

type Field = 'provider' | 'type';

interface Facet {
  /** null for tokens without this field. */
  value: string | null;
  count: number;
}

/** Sorted by name; those without one come last. */
const byValue = (a: Facet, b: Facet): number =>
  Number(a.value === null) - Number(b.value === null) || (a.value ?? '').localeCompare(b.value ?? '');

const summed = (values: readonly Facet[]): Facet[] => {
  const counts = new Map<string | null, number>();
  for (const { value, count } of values) counts.set(value, (counts.get(value) ?? 0) + count);
  return [...counts].map(([value, count]) => ({ value, count })).sort(byValue);
};

const facetsOf = (field: Field, { oauth, verifications }: SessionStats, kind: string): Facet[] =>
  field === 'provider'
    ? summed(
        oauth
          .filter((row) => kind === '' || row.kind === kind)
          .map(({ provider, count }) => ({ value: provider, count })),
      )
    : summed(verifications.map(({ type, count }) => ({ value: type, count })));

/** Adds the value from the URL when no token has it, so that it can be deselected. */
const withChosen = (facets: readonly Facet[], chosen: string): Facet[] =>
  chosen === '' || facets.some(({ value }) => value === chosen)
    ? [...facets]
    : [...facets, { value: chosen, count: 0 }];

type FacetsProps = Pick<ListPartProps, 'url' | 'onChange'>;

/** The number of tokens per provider; each one is a filter. */
export const ProviderFacets = (props: FacetsProps) => <CountedFacets {...props} field="provider" />;
/** The number of tokens per type; each one is a filter. */
export const TypeFacets = (props: FacetsProps) => <CountedFacets {...props} field="type" />;

const CountedFacets = ({ field, url, onChange }: FacetsProps & { field: Field }) => {
  const t = useTranslations('tokens.facets');
  const connection = useConnection();
  const query = useQuery(sessionStatsQuery(connection.id));
  const stats = query.data;
  if (!stats) return query.isPending && <Skeleton height={28} mb="sm" maw={760} />;
  return (
    <Chips
      field={field}
      facets={withChosen(facetsOf(field, stats, url.kind ?? ''), url[field] ?? '')}
      chosen={url[field] ?? ''}
      onChange={onChange}
      note={
        stats.countedAt && (
          <>
            {t('counted')} <RelativeTime at={stats.countedAt} />
            {stats.counting && ` · ${t('counting')}`}
          </>
        )
      }
    />
  );
};

/** Flows are short-lived and not counted on the server: these are counts of the loaded ones. */
export const FlowFacets = ({ url, onChange }: FacetsProps) => {
  const t = useTranslations('tokens.facets');
  const connection = useConnection();
  const query = useInfiniteQuery(
    listQuery(tokenContracts.stateList, { connection: connection.id, filter: {}, everyMs: false }),
  );
  const facets = useMemo(() => {
    const rows = query.data?.pages.flatMap(({ items }) => items) ?? [];
    return summed(rows.map(({ provider }) => ({ value: provider, count: 1 })));
  }, [query.data]);
  if (!query.data) return query.isPending && <Skeleton height={28} mb="sm" maw={760} />;
  return (
    <Chips
      field="provider"
      facets={withChosen(facets, url.provider ?? '')}
      chosen={url.provider ?? ''}
      onChange={onChange}
      note={query.hasNextPage ? t('loadedOnly') : null}
    />
  );
};

interface ChipsProps extends Pick<FacetsProps, 'onChange'> {
  field: Field;
  facets: readonly Facet[];
  chosen: string;
  note: ReactNode;
}

const Chips = ({ field, facets, chosen, onChange, note }: ChipsProps) => {
  const t = useTranslations('tokens.facets');
  const { count: figure } = useFormat();
  const typeWords = useVerificationType();
  const words = (value: string) =>
    visibleText(field === 'provider' ? providerName(value) : typeWords(value), 40);
  if (facets.length === 0) return null;
  return (
    <Group gap="xs" mb="sm" role="group" aria-label={t(field)}>
      {facets.map(({ value, count }) =>
        value === null ? (
          <Dimmed key="">{t(`unnamed.${field}`, { count })}</Dimmed>
        ) : (
          <Chip
            key={value}
            size="sm"
            variant="outline"
            checked={value === chosen}
            onChange={(checked) => onChange({ [field]: checked ? value : '' })}
          >
            {words(value)}{' '}
            <Text span inherit c="dimmed">
              {figure(count)}
            </Text>
          </Chip>
        ),
      )}
      {note && <Dimmed size="xs">{note}</Dimmed>}
    </Group>
  );
};
