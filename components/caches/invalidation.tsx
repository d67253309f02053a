'use client';

import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { ApiProblem } from '@/lib/api-client';
import type { InvalidationTarget } from '@/lib/caches/schema';
import { fieldProblems, type Preview, PreviewPanel } from './preview-panel';
import { previewQuery, useInvalidate } from './queries';

interface InvalidationProps {
  opened: boolean;
  title: string;
  /** What is to be deleted; null while that is not said yet. */
  target: InvalidationTarget | null;
  /** Still being typed: what is previewed is not yet what would be deleted. */
  unsettled: boolean;
  /** The fields that name the target. */
  children: (problems: Map<string, string>) => ReactNode;
  onClose: () => void;
  /** The work was taken on, or was under way already. */
  onJob: (jobId: string) => void;
}

const twinOf = (error: unknown): string | null => {
  const jobId = error instanceof ApiProblem ? (error.document as { jobId?: unknown }).jobId : null;
  return typeof jobId === 'string' ? jobId : null;
};

const useVerb = () => {
  const t = useTranslations('caches');
  return (preview: Preview | undefined): string => {
    if (!preview) return t('invalidate');
    return preview.exact ? t('verb', { count: preview.keys }) : t('verbAbout', { count: preview.keys });
  };
};

/** The drawer of an invalidation: what would go, what stays, why, and the verb with its number. */
export const Invalidation = (props: InvalidationProps) => {
  const { opened, target, unsettled, onJob } = props;
  const t = useTranslations('caches');
  const connection = useConnection();
  const preview = useQuery(previewQuery(connection.id, opened && !unsettled ? target : null));
  const invalidate = useInvalidate(connection.id);
  const verbOf = useVerb();
  const counted = target !== null && !unsettled ? preview.data : undefined;
  const twin = twinOf(invalidate.error);
  const close = () => {
    invalidate.reset();
    props.onClose();
  };
  return (
    <ChangeDrawer
      opened={opened}
      onClose={close}
      title={props.title}
      verb={verbOf(counted)}
      destructive
      needsConfirmation
      staysValid={t('stays')}
      blocked={!counted || counted.keys === 0}
      pending={invalidate.isPending}
      error={invalidate.error}
      onSubmit={(words) =>
        target &&
        invalidate.mutate(
          { target, words },
          {
            onSuccess: ({ jobId }) => {
              invalidate.reset();
              onJob(jobId);
            },
          },
        )
      }
    >
      <Stack gap="md">
        {props.children(fieldProblems(preview.error))}
        <PreviewPanel query={preview} idle={target === null || unsettled} />
        {twin && (
          <Alert color="indigo">
            <Group justify="space-between" gap="xs">
              <Text size="sm">{t('twin')}</Text>
              <Button size="xs" variant="default" onClick={() => onJob(twin)}>
                {t('watch')}
              </Button>
            </Group>
          </Alert>
        )}
      </Stack>
    </ChangeDrawer>
  );
};
