import type { DataColumn } from '@/components/data-table/columns';
import type { OauthToken, VerificationToken } from '@/lib/tokens/schema';
import { type Lifetime, TokenAge, TokenExpiry, TokenForm, type TokenKind } from './token-words';

type Token = Lifetime & {
  kind: TokenKind;
  form: OauthToken['form'] | VerificationToken['form'] | null;
};
type LifeId = 'form' | 'created' | 'expires';

/** Columns for a token's stored format, creation and expiry. */
export const lifeColumns = <T extends Token>(header: (id: LifeId) => string): DataColumn<T>[] => [
  {
    id: 'form',
    header: header('form'),
    width: 125,
    cell: ({ form }) => form && <TokenForm form={form} />,
    value: ({ form }) => form,
  },
  {
    id: 'created',
    header: header('created'),
    width: 115,
    cell: (token) => <TokenAge token={token} />,
    value: ({ createdAt }) => createdAt,
  },
  {
    id: 'expires',
    header: header('expires'),
    width: 150,
    cell: (token) => <TokenExpiry token={token} kind={token.kind} />,
    value: ({ ttlSeconds }) => ttlSeconds,
  },
];
