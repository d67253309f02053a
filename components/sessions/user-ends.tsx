'use client';

import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useNow } from '@/components/patterns/now';
import { useFormat } from '@/components/patterns/use-format';
import { epochOf } from '@/lib/format';
import type { User } from './user-query';

/** Seconds until the last token of these sessions expires by its own claim; 0 if none has one. */
const longestClaim = ({ sessions }: User, now: number): number =>
  Math.max(
    0,
    ...sessions.map(({ jwt }) =>
      jwt ? ((epochOf(jwt.expiresAt) ?? Number.POSITIVE_INFINITY) - now) / 1000 : 0,
    ),
  );

/** What "Revoke all sessions" ends, and what it does not. */
export const UserEnds = ({ user }: { user: User }) => {
  const t = useTranslations('sessions.user');
  const { duration, list } = useFormat();
  const now = useNow();
  const { oauth, verifications, legacy, sessions } = user;
  const signatures = now === null ? 0 : longestClaim(user, now);
  const stays = [
    oauth.length > 0 && t('staysOauth', { count: oauth.length }),
    verifications.length > 0 && t('staysVerifications', { count: verifications.length }),
  ].filter((part) => part !== false);
  return (
    <Text size="sm">
      <strong>{t('ends')}</strong> {t('endsWhat', { sessions: sessions.length, legacy: legacy.length })}{' '}
      {stays.length > 0 && (
        <>
          <strong>{t('stays')}</strong> {t('staysWhat', { what: list(stays) })}{' '}
        </>
      )}
      {signatures === Number.POSITIVE_INFINITY && t('signaturesNever')}
      {signatures > 0 && Number.isFinite(signatures) && t('signatures', { life: duration(signatures) })}
    </Text>
  );
};
