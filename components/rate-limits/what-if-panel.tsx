'use client';

import { CloseButton, Group, Loader, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { CountFigures } from '@/components/patterns/count-figures';
import { Dimmed } from '@/components/patterns/dimmed';
import { KeyText } from '@/components/patterns/hostile-text';
import { Panel } from '@/components/patterns/panel';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Strong } from '@/components/patterns/strong';
import { useFormat } from '@/components/patterns/use-format';
import { isProjectId, NO_TEST, type TestFields, whatIfOf, wholeNumber } from './address';
import { NextEventLine } from './next-event';
import { rateLimitQueries, type WhatIf } from './queries';
import { TypedField } from './typed-field';

interface WhatIfPanelProps {
  url: TestFields;
  onChange: (change: Partial<TestFields>) => void;
}

/** Tests a limit: how many projects it would refuse now, and the answer to one project's next event. */
export const WhatIfPanel = ({ url, onChange }: WhatIfPanelProps) => {
  const t = useTranslations('rateLimits.whatIf');
  const connection = useConnection();
  const input = whatIfOf(url);
  const { data, error, isFetching, isPlaceholderData } = useQuery(
    rateLimitQueries.whatIf(connection.id, input),
  );
  const answer = input ? data : undefined;
  return (
    <section aria-label={t('title')} style={{ marginBottom: 12 }}>
      <Panel
        title={t('title')}
        note={
          <Group gap="xs">
            {isFetching && !answer && <Loader size={14} aria-label={t('asking')} />}
            <CloseButton size="sm" aria-label={t('close')} onClick={() => onChange(NO_TEST)} />
          </Group>
        }
      >
        <Stack gap="sm">
          <WhatIfFields url={url} onChange={onChange} />
          {!input && <Dimmed>{t('nothing')}</Dimmed>}
          {input && error && !answer && <ProblemAlert error={error} />}
          <div aria-live="polite" aria-busy={isPlaceholderData}>
            {answer?.all && (
              <WhatIfAll all={answer.all} limit={answer.limit ?? 0} seconds={answer.periodSeconds ?? 0} />
            )}
            {answer?.project && <WhatIfProject project={answer.project} />}
          </div>
          <Dimmed>{t('releases')}</Dimmed>
        </Stack>
      </Panel>
    </section>
  );
};

const WhatIfFields = ({ url, onChange }: WhatIfPanelProps) => {
  const t = useTranslations('rateLimits.whatIf');
  const tRateLimits = useTranslations('rateLimits');
  const tWord = useTranslations('words');
  const format = useFormat();
  const seconds = wholeNumber(url.period);
  const wrong = (text: string) => text.trim() !== '' && wholeNumber(text) === null;
  return (
    <Group gap="sm" align="flex-start">
      <TypedField
        label={tWord('limit')}
        description={wholeNumber(url.limit) === 0 ? t('limitZero') : t('limitHint')}
        inputMode="numeric"
        value={url.limit}
        onChange={(limit) => onChange({ limit: limit.trim() })}
        error={wrong(url.limit) && t('wholeNumber')}
        w={{ base: '100%', xs: 190 }}
        data-autofocus
      />
      <TypedField
        label={tWord('period')}
        description={seconds === null ? t('periodHint') : t('periodIs', { time: format.duration(seconds) })}
        inputMode="numeric"
        value={url.period}
        onChange={(period) => onChange({ period: period.trim() })}
        error={wrong(url.period) && t('wholeNumber')}
        w={{ base: '100%', xs: 190 }}
      />
      <TypedField
        label={t('project')}
        description={t('projectHint')}
        value={url.project}
        onChange={(project) => onChange({ project: project.trim() })}
        error={url.project !== '' && !isProjectId(url.project) && tRateLimits('refused.choose')}
        maxLength={24}
        w={{ base: '100%', xs: 260 }}
      />
    </Group>
  );
};

const changeOf = (more: number) => (more > 0 ? 'more' : more < 0 ? 'fewer' : 'same');

interface WhatIfAllProps {
  all: NonNullable<WhatIf['all']>;
  limit: number;
  seconds: number;
}

/** All projects with a window under the tested limit, compared with the current limits. */
const WhatIfAll = ({ all, limit, seconds }: WhatIfAllProps) => {
  const t = useTranslations('rateLimits.whatIf');
  const tRateLimits = useTranslations('rateLimits');
  const format = useFormat();
  const { projects, refused, refusedAtPresent, more, newlyRefused, newlyAccepted, sampledAt, complete } = all;
  return (
    <section aria-label={tRateLimits('known.any')}>
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
      <Dimmed size="xs">
        {t('definition')}{' '}
        {t.rich(complete ? 'counted' : 'counting', { age: () => <RelativeTime at={sampledAt} /> })}
      </Dimmed>
    </section>
  );
};

/** The answer to one project's next event, by its current limit and by the tested one. */
const WhatIfProject = ({ project }: { project: NonNullable<WhatIf['project']> }) => {
  const t = useTranslations('rateLimits.whatIf');
  const tRateLimits = useTranslations('rateLimits');
  const format = useFormat();
  const { projectId, present, chosen, blocked, limit, periodSeconds, count, releases } = project;
  const limitInForce =
    limit === 0
      ? tRateLimits('state.unlimited')
      : t('limitOf', { limit, period: format.duration(periodSeconds) });
  return (
    <section aria-label={t('next')} style={{ marginTop: 12 }}>
      <Title order={3} size="sm">
        {t.rich('nextOf', { project: () => <KeyText max={24}>{projectId}</KeyText> })}
      </Title>
      <Dimmed size="xs" mb="xs">
        {t('events', { count: count ?? 0, known: count === null ? 'no' : 'yes' })}
        {project.project === 'unknown' && ` ${t('unknownProject')}`}
      </Dimmed>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <section aria-label={t('byPresent')}>
          <Strong>
            {t('byPresent')} · {limitInForce}
          </Strong>
          <NextEventLine event={present} blocked={blocked} />
        </section>
        {chosen && (
          <section aria-label={t('byChosen')}>
            <Strong>{t('byChosen')}</Strong>
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
