'use client';

import { Badge, Group, List, Loader, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import type { Preview } from '@/lib/families/schema';
import { Dimmed } from './dimmed';
import { KeyText } from './hostile-text';
import { ProblemAlert } from './problem-alert';
import { fieldProblems } from './target-problems';
import { useFormat } from './use-format';

interface PreviewPanelProps {
  query: UseQueryResult<Preview>;
  /** Whether there is nothing to count: the target is incomplete or invalid. */
  idle: boolean;
  /** The effects, shown if keys match. */
  children: (preview: Preview) => ReactNode;
}

/** The keys that would be deleted: number, size, families and examples. */
export const PreviewPanel = ({ query, idle, children }: PreviewPanelProps) => {
  const t = useTranslations('families.preview');
  const { data, error } = query;
  // Refusals of a field are shown next to the field.
  if (idle || fieldProblems(error).size > 0) return null;
  if (error) return <ProblemAlert error={error} onRetry={() => void query.refetch()} />;
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
      <Families preview={data} />
      <Sample preview={data} />
      {data.keys > 0 && children(data)}
    </Stack>
  );
};

const Counted = ({ preview }: { preview: Preview }) => {
  const t = useTranslations('families.preview');
  const format = useFormat();
  const memory = format.bytes(preview.memoryBytes);
  return (
    <div role="status" data-testid="preview">
      <Text fw={650} size="lg">
        {preview.exact
          ? t('exact', { count: preview.keys })
          : t('about', { count: preview.keys, error: format.count(preview.error) })}
      </Text>
      <Dimmed>
        {t('memory', { memory })}
        {!preview.exact && ` · ${t('estimated')}`}
      </Dimmed>
    </div>
  );
};

/** The families of the keys, unless it is the one family that was chosen. */
const Families = ({ preview: { byFamily } }: { preview: Preview }) => {
  const t = useTranslations('families');
  if (byFamily.length < 2 && !byFamily.some(({ sensitive }) => sensitive)) return null;
  return (
    <List size="sm" withPadding>
      {byFamily.map(({ family, title, keys, sensitive }) => (
        <List.Item key={family}>
          {t('preview.ofFamily', {
            count: keys,
            family: family === title ? t('preview.noFamily') : title,
          })}{' '}
          {sensitive && (
            <Badge component="span" size="xs" color="orange">
              {t('guarded')}
            </Badge>
          )}
        </List.Item>
      ))}
    </List>
  );
};

const Sample = ({ preview }: { preview: Preview }) => {
  const t = useTranslations('families.preview');
  if (preview.sample.length === 0) return null;
  return (
    <div>
      <Dimmed mb={4}>{t('sample')}</Dimmed>
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
