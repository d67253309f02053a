'use client';

import { Alert, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { Preview } from '@/lib/families/schema';
import { useFormat } from './use-format';

interface TtlSpreadProps {
  preview: Preview;
  ttlSeconds: number;
  jitterSeconds: number;
}

/** How many keys would expire together, how the jitter spreads them, and whether the change can be undone. */
export const TtlSpread = ({ preview, ttlSeconds, jitterSeconds }: TtlSpreadProps) => {
  const t = useTranslations('families.ttl');
  const format = useFormat();
  const ttl = format.duration(ttlSeconds);
  return (
    <>
      {jitterSeconds === 0 ? (
        <Alert color="orange" title={t('together')}>
          <Text size="sm">{t('avalanche', { count: preview.keys, ttl })}</Text>
        </Alert>
      ) : (
        <Text size="sm">
          {t('spread', {
            from: ttl,
            to: format.duration(ttlSeconds + jitterSeconds),
            rate: format.perSecond(preview.keys / jitterSeconds),
          })}
        </Text>
      )}
      <Text size="sm">
        {preview.undo.why === 'keys'
          ? t('final')
          : t('undoable', { hours: format.number(preview.undo.hours) })}
      </Text>
    </>
  );
};
