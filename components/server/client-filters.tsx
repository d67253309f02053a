'use client';

import { useTranslations } from 'next-intl';
import { FilterBar, NO_STATUS, SearchField } from '@/components/patterns/filter-bar';
import { FilterSelect } from '@/components/patterns/filter-select';
import { useFormat } from '@/components/patterns/use-format';
import type { Result } from '@/lib/contract';
import { UNKNOWN } from '@/lib/format';
import { CLIENT_KINDS, CLIENT_TYPES, type clientContracts } from '@/lib/server/clients/schema';
import { type Fields, MIN_IDLES } from './address';

interface ClientFiltersProps {
  url: Fields;
  page: Result<typeof clientContracts.list> | undefined;
  onChange: (change: Partial<Fields>) => void;
  onClear: (() => void) | undefined;
}

export const ClientFilters = ({ url, page, onChange, onClear }: ClientFiltersProps) => {
  const t = useTranslations('server');
  const format = useFormat();
  return (
    <FilterBar
      search={
        <SearchField value={url.q} onChange={(q) => onChange({ q })} label={t('clients.search')} noSecrets />
      }
      active={[url.user, url.kind, url.idle, url.own, url.type].filter(Boolean).length}
      onClear={onClear}
      status={
        page?.state === 'listed'
          ? t('clients.status', { total: format.count(page.total), listed: format.count(page.listed) })
          : page
            ? UNKNOWN
            : NO_STATUS
      }
    >
      <FilterSelect
        label={t('column.user')}
        any={t('clients.anyUser')}
        data={(page?.byUser ?? []).flatMap(({ value }) => (value === null ? [] : [{ value, label: value }]))}
        value={url.user}
        onChange={(user) => onChange({ user })}
        searchable
        width={140}
      />
      <FilterSelect
        label={t('column.kind')}
        any={t('clients.anyKind')}
        data={CLIENT_KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
        value={url.kind}
        onChange={(kind) => onChange({ kind })}
        width={150}
      />
      <FilterSelect
        label={t('column.idle')}
        any={t('clients.anyIdle')}
        data={MIN_IDLES.map((value) => ({ value, label: `≥ ${format.duration(Number(value))}` }))}
        value={url.idle}
        onChange={(idle) => onChange({ idle })}
        width={130}
      />
      <FilterSelect
        label={t('own.label')}
        any={t('own.too')}
        data={(['without', 'only'] as const).map((value) => ({ value, label: t(`own.${value}`) }))}
        value={url.own}
        onChange={(own) => onChange({ own })}
        width={205}
      />
      {url.type !== '' && (
        <FilterSelect
          label={t('clients.read')}
          any={t('clients.readAll')}
          data={CLIENT_TYPES.map((value) => ({ value, label: t(`clients.type.${value}`) }))}
          value={url.type}
          onChange={(type) => onChange({ type })}
        />
      )}
    </FilterBar>
  );
};
