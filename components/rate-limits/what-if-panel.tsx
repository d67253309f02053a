'use client';

import { CloseButton, Group, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { Panel } from '@/components/patterns/panel';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useFormat } from '@/components/patterns/use-format';
import { type Fields, isProjectId, whatIfOf, wholeNumber } from './address';
import { rateLimitQueries } from './queries';
import { TypedField } from './typed-field';
import { WhatIfAll, WhatIfProject } from './what-if-answer';

interface WhatIfPanelProps {
  url: Fields;
  onChange: (change: Partial<Fields>) => void;
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
            <CloseButton
              size="sm"
              aria-label={t('close')}
              onClick={() => onChange({ whatif: '', limit: '', period: '', project: '' })}
            />
          </Group>
        }
      >
        <Stack gap="sm">
          <WhatIfFields url={url} onChange={onChange} />
          {!input && (
            <Text size="sm" c="dimmed">
              {t('nothing')}
            </Text>
          )}
          {input && error && !answer && <ProblemAlert error={error} />}
          <div aria-live="polite" aria-busy={isPlaceholderData}>
            {answer?.all && (
              <WhatIfAll all={answer.all} limit={answer.limit ?? 0} seconds={answer.periodSeconds ?? 0} />
            )}
            {answer?.project && <WhatIfProject project={answer.project} />}
          </div>
          <Text size="sm" c="dimmed">
            {t('releases')}
          </Text>
        </Stack>
      </Panel>
    </section>
  );
};

const WhatIfFields = ({ url, onChange }: WhatIfPanelProps) => {
  const t = useTranslations('rateLimits.whatIf');
  const format = useFormat();
  const seconds = wholeNumber(url.period);
  const wrong = (text: string) => text.trim() !== '' && wholeNumber(text) === null;
  return (
    <Group gap="sm" align="flex-start">
      <TypedField
        label={t('limit')}
        description={wholeNumber(url.limit) === 0 ? t('limitZero') : t('limitHint')}
        inputMode="numeric"
        value={url.limit}
        onChange={(limit) => onChange({ limit: limit.trim() })}
        error={wrong(url.limit) && t('wholeNumber')}
        w={{ base: '100%', xs: 190 }}
        data-autofocus
      />
      <TypedField
        label={t('period')}
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
        error={url.project !== '' && !isProjectId(url.project) && t('noProjectId')}
        maxLength={24}
        w={{ base: '100%', xs: 260 }}
      />
    </Group>
  );
};
