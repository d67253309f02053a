'use client';

import { Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Panel } from '@/components/patterns/panel';
import { useUrlState } from '@/components/patterns/use-url-state';
import { FIELDS, isProjectId } from './address';
import { RefusedEvents } from './refused-events';
import { TypedField } from './typed-field';

/** Refused events of a chosen project: the collector counts them per project only. */
export const RefusedPanel = () => {
  const t = useTranslations('rateLimits');
  const [url, setUrl] = useUrlState(FIELDS);
  const project = url.project.trim();
  return (
    <Panel title={t('refused.title')}>
      <Stack gap="sm">
        <TypedField
          label={t('column.project')}
          description={t('refused.choose')}
          value={url.project}
          onChange={(text) => setUrl({ project: text.trim() })}
          error={project !== '' && !isProjectId(project) && t('whatIf.noProjectId')}
          maxLength={24}
          maw={320}
        />
        {isProjectId(project) ? (
          <RefusedEvents key={project} projectId={project} titled />
        ) : (
          <Text size="sm" c="dimmed">
            {t('refused.perProject')}
          </Text>
        )}
      </Stack>
    </Panel>
  );
};
