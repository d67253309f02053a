'use client';

import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { Description } from '@/components/patterns/description';
import { RelativeTime } from '@/components/patterns/relative-time';
import { ServerSentence } from '@/components/patterns/server-sentence';
import { Strong } from '@/components/patterns/strong';
import { useNarrow } from '@/components/patterns/use-narrow';
import type { LimitsState } from '@/lib/rate-limits/schema';

/** The source, age and problems of the limits. */
export const LimitsNote = ({ limits }: { limits: LimitsState }) => {
  const t = useTranslations('rateLimits.from');
  const isNarrow = useNarrow();
  const { source, status, at, stale, problems, projects, workspaces, plans } = limits;
  const trouble = stale ? 'stale' : status === 'unavailable' || status === 'partial' ? status : null;
  const details = (
    <>
      {stale && at && <div>{t.rich('staleSince', { age: () => <RelativeTime at={at} /> })}</div>}
      {!stale && status === 'unavailable' && <div>{t('defaultHolds')}</div>}
      {problems.map((problem) => (
        <div key={problem}>
          <ServerSentence max={300}>{problem}</ServerSentence>
        </div>
      ))}
    </>
  );
  // On a phone the problem takes the line of the source, so that the first row stays in sight.
  if (isNarrow && trouble)
    return (
      <div role="status">
        <Description>
          <Strong span c="var(--kw-warn-text)">
            {t(`title.${trouble}`)}
          </Strong>{' '}
          {details}
        </Description>
      </div>
    );
  return (
    <>
      <Description>
        {t(`source.${source}`)}{' '}
        {source !== 'default' && status !== 'loading' && t('known', { projects, workspaces, plans })}{' '}
        {at && t.rich('age', { age: () => <RelativeTime at={at} /> })}
        {status === 'loading' && t('loading')}
      </Description>
      {trouble && (
        <Alert
          mb="sm"
          color="orange"
          role="status"
          icon={<IconAlertTriangle size={18} />}
          title={t(`title.${trouble}`)}
        >
          {details}
        </Alert>
      )}
    </>
  );
};
