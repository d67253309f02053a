'use client';

import { Button, Select } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { Tooltip } from '@/components/patterns/tooltip';
import { useFormat } from '@/components/patterns/use-format';
import { useNarrow } from '@/components/patterns/use-narrow';
import { useMay } from '@/components/patterns/viewer';
import { type Fields, filterOf, isFiltered, isNoUser, NO_FILTER, type Tab, WITHIN_SECONDS } from './filter';
import { TokenFacets } from './token-facets';

interface TokenFiltersProps {
  tab: Tab;
  url: Fields;
  onChange: (change: Partial<Fields>) => void;
  onRevokeAll: () => void;
}

/** The filters of the list, and the button to revoke all matches. */
export const TokenFilters = ({ tab, url, onChange, onRevokeAll }: TokenFiltersProps) => {
  const t = useTranslations('tokens.filter');
  const format = useFormat();
  const isNarrow = useNarrow();
  const mayRevoke = useMay('sessions:revoke');
  const narrowed = Object.keys(NO_FILTER).some((name) => url[name as keyof typeof NO_FILTER] !== '');
  const within =
    url.within && !WITHIN_SECONDS.includes(url.within) ? [...WITHIN_SECONDS, url.within] : WITHIN_SECONDS;
  const kinds = (['access', 'refresh'] as const).map((kind) => ({ value: kind as string, label: t(kind) }));
  return (
    <>
      {!isNarrow && <TokenFacets tab={tab} url={url} onChange={onChange} />}
      <FilterBar
        search={
          tab !== 'states' && (
            <SearchField
              value={url.user}
              onChange={(user) => onChange({ user: user.trim() })}
              label={t('user')}
              noSecrets
            />
          )
        }
        active={[url.kind, url.within, isNarrow && (url.provider || url.type)].filter(Boolean).length}
        onClear={narrowed ? () => onChange(NO_FILTER) : undefined}
        actions={
          mayRevoke && (
            <RevokeAll
              ready={isFiltered(filterOf(tab, url)) && !isNoUser(tab, url)}
              onRevokeAll={onRevokeAll}
            />
          )
        }
      >
        {isNarrow && <TokenFacets tab={tab} url={url} onChange={onChange} />}
        {tab === 'oauth' && (
          <Select
            aria-label={t('kind')}
            placeholder={t('anyKind')}
            data={kinds}
            value={url.kind || null}
            onChange={(kind) => onChange({ kind: kind ?? '' })}
            clearable
            w={180}
          />
        )}
        <Select
          aria-label={t('within')}
          placeholder={t('anyTime')}
          data={within.map((seconds) => ({
            value: seconds,
            label: t('withinTime', { time: format.duration(Number(seconds)) }),
          }))}
          value={url.within || null}
          onChange={(seconds) => onChange({ within: seconds ?? '' })}
          clearable
          w={190}
        />
      </FilterBar>
    </>
  );
};

/** Disabled without a filter: the server refuses to revoke all tokens too. */
const RevokeAll = ({ ready, onRevokeAll }: { ready: boolean; onRevokeAll: () => void }) => {
  const t = useTranslations('tokens.filter');
  const button = (
    <Button
      variant="default"
      leftSection={<IconTrash size={16} aria-hidden />}
      data-disabled={!ready || undefined}
      aria-disabled={!ready}
      onClick={() => ready && onRevokeAll()}
    >
      {t('revokeAll')}
    </Button>
  );
  return ready ? button : <Tooltip label={t('filterFirst')}>{button}</Tooltip>;
};
