'use client';

import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { Facts } from '@/components/patterns/facts';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { ApiProblem } from '@/lib/api-client';
import type { KeyDetails } from '@/lib/keys/schema';
import { isGone } from './queries';

export const isChanged = (error: unknown): boolean => error instanceof ApiProblem && error.code === 'changed';

/** After a refusal because of a changed value, reads the current one. `read` must bypass every cache. */
export const useConflict = <T,>(read: () => Promise<T>) => {
  const reading = useMutation({ mutationFn: read, gcTime: 0 });
  return {
    /** The current state; null without a conflict, and until it is read. */
    current: reading.data ?? null,
    reading: reading.isPending,
    error: reading.error,
    onRefused: (error: unknown) => {
      if (isChanged(error)) reading.mutate();
    },
    reset: reading.reset,
  };
};

interface ConflictProps {
  error: unknown;
  yours: ReactNode;
  /** The stored value; null: it no longer exists. */
  current: ReactNode | null;
  /** Loads the current value into the field; null where it cannot be edited here. */
  onLoad: (() => void) | null;
}

/** Someone else changed it first: shows both values to choose from. */
export const Conflict = ({ error, yours, current, onLoad }: ConflictProps) => {
  const t = useTranslations('keys.inspector.conflict');
  const tKeys = useTranslations('keys');
  if (error)
    return isGone(error) ? (
      <Alert color="orange" role="alert" title={tKeys('inspector.gone.title')}>
        {t('goneText')}
      </Alert>
    ) : (
      <ProblemAlert error={error} />
    );
  return (
    <Alert color="orange" role="alert" icon={<IconAlertTriangle size={18} />} title={t('title')}>
      <Text size="sm" mb={4}>
        {t('text')}
      </Text>
      <Facts
        facts={[
          { label: t('yours'), value: yours },
          { label: t('current'), value: current ?? t('none') },
        ]}
      />
      {current !== null && (
        <Group justify="space-between" mt="xs" gap="xs">
          <Text size="xs">{t('choose')}</Text>
          {onLoad && (
            <Button size="compact-sm" variant="default" onClick={onLoad}>
              {t('load')}
            </Button>
          )}
        </Group>
      )}
    </Alert>
  );
};

interface SeenNoteProps {
  /** The key when the drawer opened, and its current state; null: it no longer exists. */
  seen: KeyDetails;
  now: KeyDetails | null;
  /** Hidden while the drawer's own change is sent, and next to a conflict with the same message. */
  hidden: boolean;
}

/** Shows, while a drawer is open, that the key has changed. */
export const SeenNote = ({ seen, now, hidden }: SeenNoteProps) => {
  const t = useTranslations('keys.inspector.conflict');
  if (hidden || now?.etag === seen.etag) return null;
  return (
    <Alert color="orange" role="status">
      {now === null ? t('goneText') : t('changedSince')}
    </Alert>
  );
};
