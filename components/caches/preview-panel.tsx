'use client';

import { Alert, Group, List, Loader, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useFormat } from '@/components/patterns/use-format';
import type { cacheContracts } from '@/lib/caches/schema';
import type { Result } from '@/lib/contract';

export type Preview = Result<typeof cacheContracts.preview>;

interface PreviewPanelProps {
  query: UseQueryResult<Preview>;
  /** Nothing to count yet: no key is named, or a parameter is not understood. */
  idle: boolean;
}

/** What would be deleted, counted now: how many, how large, which. */
export const PreviewPanel = ({ query, idle }: PreviewPanelProps) => {
  const t = useTranslations('caches.preview');
  const { data, error } = query;
  if (idle) return null;
  if (error && !isFieldProblem(error))
    return <ProblemAlert error={error} onRetry={() => void query.refetch()} />;
  if (error) return null;
  if (!data)
    return (
      <Group gap="xs" role="status">
        <Loader size="xs" aria-hidden />
        <Text size="sm">{t('counting')}</Text>
      </Group>
    );
  return (
    <Stack gap="xs">
      <Counted preview={data} />
      {data.byFamily.length > 1 && (
        <List size="sm" withPadding>
          {data.byFamily.map((row) => (
            <List.Item key={row.family}>{t('ofFamily', { count: row.keys, family: row.title })}</List.Item>
          ))}
        </List>
      )}
      <Sample preview={data} />
      {data.keys > 0 && <Consequence preview={data} />}
    </Stack>
  );
};

/** Whether the refusal is about one of the fields above, where it is shown instead. */
export const isFieldProblem = (error: unknown): boolean => fieldProblems(error).size > 0;

/** The refusals of the parameters, by the parameter's name. */
export const fieldProblems = (error: unknown): Map<string, string> => {
  const errors = (error as { errors?: { path: string; message: string }[] } | null)?.errors ?? [];
  return new Map(
    errors
      .filter(({ path }) => path.startsWith('params.'))
      .map(({ path, message }) => [path.slice('params.'.length), message]),
  );
};

const Counted = ({ preview }: { preview: Preview }) => {
  const t = useTranslations('caches.preview');
  const format = useFormat();
  const memory = format.bytes(preview.memoryBytes);
  return (
    <div role="status" data-testid="preview">
      <Text fw={650} size="lg">
        {preview.exact
          ? t('exact', { count: preview.keys })
          : t('about', { count: preview.keys, error: format.count(preview.error) })}
      </Text>
      <Text size="sm" c="dimmed">
        {t('memory', { memory })}
        {!preview.exact && ` · ${t('estimated')}`}
      </Text>
    </div>
  );
};

const Sample = ({ preview }: { preview: Preview }) => {
  const t = useTranslations('caches.preview');
  if (preview.sample.length === 0) return null;
  return (
    <div>
      <Text size="sm" c="dimmed" mb={4}>
        {t('sample')}
      </Text>
      <Stack gap={4} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {preview.sample.map(({ key, keyId }, i) => (
          <li key={keyId ?? `${key} ${i}`}>
            <KeyText max={90}>{key}</KeyText>
          </li>
        ))}
      </Stack>
    </div>
  );
};

const Consequence = ({ preview }: { preview: Preview }) => {
  const t = useTranslations('caches.preview');
  const format = useFormat();
  const sensitive = preview.byFamily.filter((row) => row.sensitive).map((row) => row.title);
  return (
    <>
      <Text size="sm">
        {preview.undo.possible ? t('undoable', { count: preview.undo.keys }) : t('final')}{' '}
        {!preview.needsSensitive && t('refill')}{' '}
        {preview.expectedMissesPerSecond === null
          ? t('missesUnknown')
          : t('misses', { rate: format.perSecond(preview.expectedMissesPerSecond) })}
      </Text>
      {preview.needsSensitive && (
        <Alert color="red" title={t('sensitiveTitle')}>
          <HostileText max={300}>{t('sensitive', { families: sensitive.join(', ') })}</HostileText>
        </Alert>
      )}
    </>
  );
};
