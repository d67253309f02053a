'use client';

import { IconListDetails } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn, codeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { RowButton } from '@/components/data-table/row-button';
import { lifeColumns } from '@/components/patterns/token-life-columns';
import { providerName, useVerificationType, VerificationType } from '@/components/patterns/token-words';
import { visibleText } from '@/lib/visible-text';
import type { Tab } from './filter';
import type { TokenRow } from './queries';
import { Provider, UserLink } from './token-parts';

/** The name of a token in labels: "Google refresh token of #8130". */
export const useTokenLabel = (): ((token: TokenRow) => string) => {
  const t = useTranslations('tokens.name');
  const type = useVerificationType();
  return (token) =>
    t(token.kind, {
      provider: visibleText(providerName(token.provider), 30),
      type: token.type ? visibleText(type(token.type), 40) : '—',
      user: token.userId ? `#${token.userId}` : '—',
    });
};

type ColumnId = 'user' | 'provider' | 'kind' | 'type' | 'form' | 'created' | 'expires' | 'id' | 'actions';

const OF_TAB: Record<Tab, readonly ColumnId[]> = {
  oauth: ['user', 'provider', 'kind', 'form', 'created', 'expires', 'id', 'actions'],
  verification: ['user', 'type', 'form', 'created', 'expires', 'id', 'actions'],
  states: ['provider', 'created', 'expires', 'id', 'actions'],
};

export const useTokenColumns = (tab: Tab, onOpen: (token: TokenRow) => void): DataColumn<TokenRow>[] => {
  const t = useTranslations('tokens');
  const label = useTokenLabel();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the label follows the language, which t follows too
  return useMemo(() => {
    const columns: DataColumn<TokenRow>[] = [
      {
        id: 'user',
        header: t('column.user'),
        width: 120,
        pinned: true,
        cell: (token) => <UserLink token={token} />,
        value: ({ userId }) => userId,
      },
      {
        id: 'provider',
        header: t('column.provider'),
        width: 140,
        pinned: true,
        cell: (token) => <Provider token={token} />,
        value: ({ provider }) => provider,
      },
      {
        id: 'kind',
        header: t('column.kind'),
        width: 110,
        cell: ({ kind }) => t(`kind.${kind}`),
        value: ({ kind }) => kind,
      },
      {
        id: 'type',
        header: t('column.type'),
        width: 200,
        pinned: true,
        cell: ({ type }) => <VerificationType type={type} />,
        value: ({ type }) => type,
      },
      ...lifeColumns<TokenRow>((id) => t(`column.${id}`)),
      codeColumn({ id: 'id', header: t('column.id'), width: 220, hiddenAtFirst: true, of: ({ id }) => id }),
      actionsColumn({
        width: 56,
        cell: (token) => (
          <RowButton
            hint={t('details')}
            label={t('detailsOf', { what: label(token) })}
            icon={<IconListDetails size={16} />}
            onClick={() => onOpen(token)}
          />
        ),
      }),
    ];
    return OF_TAB[tab].flatMap((id) => columns.find((column) => column.id === id) ?? []);
  }, [t, tab, onOpen]);
};
