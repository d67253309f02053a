'use client';

import { useTranslations } from 'next-intl';
import { Facts } from '@/components/patterns/facts';
import { HostileText } from '@/components/patterns/hostile-text';
import { providerName, useVerificationType } from '@/components/patterns/token-words';
import { useFormat } from '@/components/patterns/use-format';
import type { TokenFilter } from '@/lib/tokens/schema';

/** A filter in words, one line per condition; a token must meet all of them. */
export const FilterFacts = ({ filter }: { filter: TokenFilter }) => {
  const t = useTranslations('tokens');
  const tWord = useTranslations('words');
  const format = useFormat();
  const typeWords = useVerificationType();
  const { userId, provider, kind, type, expiringWithinSeconds: within } = filter;
  return (
    <Facts
      facts={[
        userId ? { label: tWord('user'), value: `#${userId}` } : null,
        provider
          ? {
              label: t('column.provider'),
              value: <HostileText max={60}>{providerName(provider)}</HostileText>,
            }
          : null,
        kind ? { label: tWord('kind'), value: t(`kind.${kind}`) } : null,
        type ? { label: tWord('type'), value: <HostileText max={60}>{typeWords(type)}</HostileText> } : null,
        within === undefined ? null : { label: t('span.within'), value: format.duration(within) },
      ]}
    />
  );
};
