'use client';

import { SimpleGrid, Text, Title } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { CountFigures } from '@/components/patterns/count-figures';
import { KeyText } from '@/components/patterns/hostile-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useFormat } from '@/components/patterns/use-format';
import { NextEventLine } from './next-event';
import type { WhatIf } from './queries';

const changeOf = (more: number) => (more > 0 ? 'more' : more < 0 ? 'fewer' : 'same');

interface WhatIfAllProps {
  all: NonNullable<WhatIf['all']>;
  limit: number;
  seconds: number;
}

/** All projects with a window under the tested limit, compared with the current limits. */
export const WhatIfAll = ({ all, limit, seconds }: WhatIfAllProps) => {
  const t = useTranslations('rateLimits.whatIf');
  const format = useFormat();
  const { projects, refused, refusedAtPresent, more, newlyRefused, newlyAccepted, sampledAt, complete } = all;
  return (
    <section aria-label={t('all')}>
      <Text fw={600} data-testid="what-if-all">
        {t('refused', { refused, limit, period: format.duration(seconds) })}{' '}
        {t('atPresent', {
          refused: refusedAtPresent,
          change: changeOf(more),
          count: format.count(Math.abs(more)),
        })}
      </Text>
      <CountFigures
        figures={[
          { label: t('figure.projects'), value: projects },
          { label: t('figure.refused'), value: refused },
          { label: t('figure.refusedAtPresent'), value: refusedAtPresent },
          { label: t('figure.newlyRefused'), value: newlyRefused },
          { label: t('figure.newlyAccepted'), value: newlyAccepted },
        ]}
      />
      <Text size="xs" c="dimmed">
        {t('definition')}{' '}
        {t.rich(complete ? 'counted' : 'counting', { age: () => <RelativeTime at={sampledAt} /> })}
      </Text>
    </section>
  );
};

/** The answer to one project's next event, by its current limit and by the tested one. */
export const WhatIfProject = ({ project }: { project: NonNullable<WhatIf['project']> }) => {
  const t = useTranslations('rateLimits.whatIf');
  const format = useFormat();
  const { projectId, present, chosen, blocked, limit, periodSeconds, count, releases } = project;
  const limitInForce =
    limit === 0 ? t('noLimit') : t('limitOf', { limit, period: format.duration(periodSeconds) });
  return (
    <section aria-label={t('next')} style={{ marginTop: 12 }}>
      <Title order={3} size="sm">
        {t.rich('nextOf', { project: () => <KeyText max={24}>{projectId}</KeyText> })}
      </Title>
      <Text size="xs" c="dimmed" mb="xs">
        {t('events', { count: count ?? 0, known: count === null ? 'no' : 'yes' })}
        {project.project === 'unknown' && ` ${t('unknownProject')}`}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <section aria-label={t('byPresent')}>
          <Text size="sm" fw={600}>
            {t('byPresent')} · {limitInForce}
          </Text>
          <NextEventLine event={present} blocked={blocked} />
        </section>
        {chosen && (
          <section aria-label={t('byChosen')}>
            <Text size="sm" fw={600}>
              {t('byChosen')}
            </Text>
            <NextEventLine event={chosen} blocked={blocked} />
          </section>
        )}
      </SimpleGrid>
      <Text size="sm" mt="xs">
        {t(`release.${releases}`)}
      </Text>
    </section>
  );
};
