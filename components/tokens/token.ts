import { providerName, type TokenKind } from '@/components/patterns/token-words';
import type { Texts } from '@/components/patterns/use-texts';
import type { OauthState, OauthToken, VerificationToken } from '@/lib/tokens/schema';
import { visibleText } from '@/lib/visible-text';

/** A token of any list, without its value. */
export interface Token extends Omit<OauthState, 'provider'> {
  kind?: TokenKind;
  userId?: string | null;
  provider?: string | null;
  /** What a verification is for. */
  type?: string | null;
  form?: OauthToken['form'] | VerificationToken['form'];
}

/** Only sign-in flows have no kind of their own. */
export const kindOf = ({ kind = 'state' }: Token): TokenKind => kind;

/** The name of a token in labels: "Google refresh token of #8130". `t`: the texts of tokens. */
export const tokenName = (token: Token, t: Texts): string => {
  const { provider, type, userId } = token;
  const typeWords = type && t.has(`type.${type}`) ? t(`type.${type}`) : type;
  return t(`name.${kindOf(token)}`, {
    provider: visibleText(providerName(provider), 30),
    type: typeWords ? visibleText(typeWords, 40) : '—',
    user: userId ? `#${userId}` : '—',
  });
};
