import type { ListColumn } from '@/components/data-table/columns';
import type { OauthToken, VerificationToken } from '@/lib/tokens/schema';
import { type Lifetime, TokenAge, TokenExpiry, TokenForm, type TokenKind } from './token-words';

type Token = Lifetime & {
  kind: TokenKind;
  form: OauthToken['form'] | VerificationToken['form'] | null;
};
/** Those of a token without a format. */
export const datedColumns = <T extends Lifetime>(kindOf: (token: T) => TokenKind): ListColumn<T>[] => [
  {
    id: 'created',
    width: 115,
    cell: (token) => <TokenAge token={token} />,
    value: ({ createdAt }) => createdAt,
  },
  {
    id: 'expires',
    width: 150,
    cell: (token) => <TokenExpiry token={token} kind={kindOf(token)} />,
    value: ({ ttlSeconds }) => ttlSeconds,
  },
];

/** Columns for a token's stored format, creation and expiry. */
export const LIFE_COLUMNS: readonly ListColumn<Token>[] = [
  {
    id: 'form',
    width: 125,
    cell: ({ form }) => form && <TokenForm form={form} />,
  },
  ...datedColumns<Token>(({ kind }) => kind),
];
