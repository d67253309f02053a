'use client';

import { IconKey } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { declareList } from '@/components/contract-list/declare-list';
import { codeColumn } from '@/components/data-table/column-kinds';
import type { ListColumn } from '@/components/data-table/columns';
import { onDemand } from '@/components/patterns/on-demand';
import { datedColumns, LIFE_COLUMNS } from '@/components/patterns/token-life-columns';
import { VerificationType } from '@/components/patterns/token-words';
import { typedUserId } from '@/lib/sessions/schema';
import { tokenContracts } from '@/lib/tokens/schema';
import { RevocationProof } from './revocation-proof';
import { kindOf, type Token, tokenName } from './token';
import { FlowFacets, ProviderFacets, TypeFacets } from './token-facets';
import { KindText, Provider, UserLink } from './token-parts';
import { NoUser, UserNote } from './user-note';

type Filter = Record<string, string>;

/** The conditions of a list, only those that its tokens have. */
const inputOf = ({ user, within, ...filter }: Filter) => {
  const userId = typedUserId(user ?? '');
  return {
    ...filter,
    ...(userId && { userId }),
    ...(within && { expiringWithinSeconds: Number(within) }),
  };
};

const ScanNote = (scan: { examined: number; keys: number; complete: boolean }) => {
  const t = useTranslations('tokens');
  return t(scan.complete ? 'examinedAll' : 'examined', { count: scan.examined, keys: scan.keys });
};

const OauthScanNote = ({ filter, ...scan }: Parameters<typeof ScanNote>[0] & { filter: Filter }) => {
  const t = useTranslations('tokens');
  return filter.user ? t('examinedExact', { count: scan.examined }) : <ScanNote {...scan} />;
};

const TOKENS = {
  icon: IconKey,
  rowId: ({ id }: Token) => id,
  rowName: tokenName,
  everyMs: false,
  spans: { within: [300, 900, 3600, 86_400, 604_800] },
  ownFiltered: true,
  details: onDemand(async () => (await import('./token-drawer')).TokenDrawer),
  inputOf,
} as const;

const OF_USERS = {
  search: 'noSecrets',
  searchName: 'user',
  intro: UserNote,
  instead: { isNeeded: ({ user = '' }: Filter) => user !== '' && typedUserId(user) === null, of: NoUser },
} as const;

const REVOCATION = {
  permission: 'sessions:revoke',
  // Ids per request that the server accepts.
  max: 500,
  ofMatches: true,
  inputOf: (target: { rows: readonly Token[] } | { filter: object }) =>
    'rows' in target ? { ids: target.rows.map(({ id }) => id) } : { filter: target.filter },
  drawer: onDemand(async () => (await import('./revoke-tokens-drawer')).RevokeTokensDrawer),
  proof: RevocationProof,
} as const;

const USER: ListColumn<Token> = {
  id: 'user',
  width: 120,
  pinned: true,
  cell: (token) => <UserLink token={token} />,
  value: ({ userId = null }) => userId,
};

const PROVIDER: ListColumn<Token> = {
  id: 'provider',
  width: 140,
  pinned: true,
  cell: (token) => <Provider token={token} />,
  value: ({ provider = null }) => provider,
};

const ID = codeColumn<Token>({ id: 'id', width: 220, hiddenAtFirst: true });

export const OAUTH_TOKENS = declareList({
  ...TOKENS,
  ...OF_USERS,
  contract: tokenContracts.oauthList,
  texts: 'tokens.oauth',
  name: 'tokens-oauth',
  scan: { keys: ({ keys }) => keys, note: OauthScanNote },
  selects: { kind: ['access', 'refresh'] },
  facets: { names: ['provider'], of: ProviderFacets },
  columns: [
    USER,
    PROVIDER,
    { id: 'kind', width: 110, cell: (token) => <KindText token={token} />, value: ({ kind }) => kind },
    ...LIFE_COLUMNS,
    ID,
  ],
  bulk: { ...REVOCATION, contract: tokenContracts.oauthRevoke },
});

export const VERIFICATION_TOKENS = declareList({
  ...TOKENS,
  ...OF_USERS,
  contract: tokenContracts.verificationList,
  texts: 'tokens.verification',
  name: 'tokens-verification',
  scan: { keys: ({ keys }) => keys, note: ScanNote },
  facets: { names: ['type'], of: TypeFacets },
  columns: [
    USER,
    {
      id: 'type',
      width: 200,
      pinned: true,
      cell: ({ type }) => <VerificationType type={type} />,
    },
    ...LIFE_COLUMNS,
    ID,
  ],
  bulk: { ...REVOCATION, contract: tokenContracts.verificationRevoke },
});

export const SIGN_IN_FLOWS = declareList({
  ...TOKENS,
  contract: tokenContracts.stateList,
  texts: 'tokens.states',
  name: 'tokens-states',
  scan: { keys: ({ keys }) => keys, note: ScanNote },
  facets: { names: ['provider'], of: FlowFacets },
  columns: [PROVIDER, ...datedColumns(kindOf), ID],
  bulk: { ...REVOCATION, contract: tokenContracts.stateRevoke },
});
