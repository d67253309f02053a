'use client';

import { useTranslations } from 'next-intl';
import { Strong } from '@/components/patterns/strong';

/** Says that a change ends this number of API tokens. */
export const TokensEnd = ({ count }: { count: number }) => {
  const t = useTranslations('users.change');
  return count > 0 && <Strong>{t('endsTokens', { count })}</Strong>;
};

/** The message of a change that ended API tokens. */
export const useDoneText = () => {
  const t = useTranslations('users.change');
  return (done: string, tokensEnded: number): string =>
    tokensEnded > 0 ? `${done}. ${t('tokensEnded', { count: tokensEnded })}` : done;
};
