'use client';

import { Alert, Anchor, Badge, Group, Skeleton, Stack } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { FileProblems } from '@/components/data-table/file-problems';
import { Dimmed } from '@/components/patterns/dimmed';
import { EmptyState } from '@/components/patterns/empty-state';
import { HostileText } from '@/components/patterns/hostile-text';
import { Panel } from '@/components/patterns/panel';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Strong } from '@/components/patterns/strong';
import { basePath } from '@/lib/api-client';
import type { Catalog, CatalogSource } from '@/lib/catalog/schema';

type State = 'inForce' | 'lastGood' | 'waiting' | 'none';

const COLORS: Record<State, string> = {
  inForce: 'green',
  lastGood: 'orange',
  waiting: 'orange',
  none: 'red',
};

const stateOf = ({ inForce, problems, loadedAt }: CatalogSource): State => {
  if (inForce) return 'inForce';
  if (loadedAt === null) return 'none';
  return problems.length > 0 ? 'lastGood' : 'waiting';
};

/** Where the families come from, with the problems of files. */
export const SourcesTab = ({ catalog }: { catalog: Catalog | undefined }) => {
  const t = useTranslations('catalog.sources');
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Dimmed>{t('note')}</Dimmed>
        <Anchor size="sm" href={`${basePath()}/catalog.schema.json`} target="_blank" rel="noreferrer">
          {t('schema')}
        </Anchor>
      </Group>
      {!catalog && <Skeleton height={64} radius="md" />}
      {catalog?.sources.map((source) => (
        <Source key={source.file ?? source.app} source={source} />
      ))}
      {catalog && !catalog.sources.some(({ file }) => file !== null) && (
        <EmptyState icon={<IconFileText size={20} />} title={t('noFiles')}>
          {t('noFilesText')}
        </EmptyState>
      )}
    </Stack>
  );
};

const Source = ({ source }: { source: CatalogSource }) => {
  const t = useTranslations('catalog.sources');
  const { file, app, families, loadedAt } = source;
  const state = stateOf(source);
  return (
    <Panel>
      <Group justify="space-between" gap="xs">
        <div>
          <Strong component="h2">
            <HostileText max={100}>{file ?? app}</HostileText>
          </Strong>
          <Dimmed size="xs" component="div">
            {file !== null && app !== '' && `${app} · `}
            {t('families', { count: families })}
            {file === null && ` · ${t('builtIn')}`}
            {loadedAt !== null && (
              <>
                {' · '}
                {t.rich('loaded', { when: () => <RelativeTime at={loadedAt} /> })}
              </>
            )}
          </Dimmed>
        </div>
        <Badge color={COLORS[state]}>{t(`state.${state}`)}</Badge>
      </Group>
      {state !== 'inForce' && (
        <Alert color={COLORS[state]} mt="sm" role="status">
          {state === 'none' ? t('none') : t.rich(state, { when: () => <RelativeTime at={loadedAt} /> })}
        </Alert>
      )}
      {source.problems.length > 0 && (
        <FileProblems
          label={t('problems', { file: file ?? app })}
          name="catalog-problems"
          problems={source.problems}
        />
      )}
    </Panel>
  );
};
