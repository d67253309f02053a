'use client';

import { Alert, Button, Drawer, Group, Skeleton, Stack, Text, Timeline } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useMay } from '@/components/patterns/viewer';
import type { Result } from '@/lib/contract';
import type { Flag, flagContracts } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import { flagQueries, useTakeBack } from './queries';

type Change = Result<typeof flagContracts.history>['items'][number];

interface HistoryDrawerProps {
  /** The flag's name; null while the drawer is closed. */
  name: string | null;
  /** The flag as it is listed now; absent when it is gone. */
  flag: Flag | undefined;
  onClose: () => void;
}

/** Who changed a flag, when, from what to what, and why. */
export const HistoryDrawer = ({ name, flag, onClose }: HistoryDrawerProps) => {
  const t = useTranslations('flags.history');
  return (
    <Drawer
      opened={name !== null}
      onClose={onClose}
      position="right"
      size={460}
      title={name === null ? '' : t('of', { name: visibleText(name, 60) })}
      styles={{ title: { fontWeight: 650, overflowWrap: 'anywhere' } }}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {name !== null && <History name={name} flag={flag} />}
    </Drawer>
  );
};

/** The newest change can be taken back while its value still stands, and unless it took back the one before. */
const takeableOf = ([newest, before]: Change[], flag: Flag | undefined): Change | null => {
  if (!newest || !flag || newest.outcome !== 'succeeded' || newest.to !== flag.raw) return null;
  const mirrors = before !== undefined && newest.from === before.to && newest.to === before.from;
  return mirrors ? null : newest;
};

const History = ({ name, flag }: { name: string; flag: Flag | undefined }) => {
  const t = useTranslations('flags.history');
  const { id, readOnly } = useConnection();
  const mayToggle = useMay('flags:toggle');
  const query = useQuery(flagQueries.history(id, name));
  const takeBack = useTakeBack(id);
  if (!query.data)
    return query.isError ? (
      <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <Skeleton height={80} />
    );
  const { items, nextCursor } = query.data;
  const takeable = mayToggle && !readOnly ? takeableOf(items, flag) : null;
  const conflict = takeBack.data?.conflicts[0];
  return (
    <Stack gap="md">
      {takeBack.error && <ProblemAlert error={takeBack.error} />}
      {conflict && (
        <Alert color="orange" role="alert">
          {t('conflict', { why: conflict.why })}
        </Alert>
      )}
      {items.length === 0 && <EmptyState title={t('empty')}>{t('emptyText')}</EmptyState>}
      <Timeline bulletSize={12} lineWidth={2} active={items.length}>
        {items.map((change) => (
          <Timeline.Item key={change.auditId}>
            <ChangeLine change={change} />
            {change === takeable && (
              <Button
                size="compact-sm"
                variant="default"
                mt={6}
                loading={takeBack.isPending}
                onClick={() => takeBack.mutate(change.auditId)}
              >
                {t('takeBack')}
              </Button>
            )}
          </Timeline.Item>
        ))}
      </Timeline>
      {nextCursor && (
        <Text size="xs" c="dimmed">
          {t('older')}
        </Text>
      )}
    </Stack>
  );
};

const ChangeLine = ({ change }: { change: Change }) => {
  const t = useTranslations('flags.history');
  return (
    <>
      <Group gap={6} align="baseline">
        <KeyText max={40}>{change.from}</KeyText>
        <span role="img" aria-label={t('to')}>
          →
        </span>
        <KeyText max={40}>{change.to}</KeyText>
        {change.outcome === 'pending' && <Text size="xs">{t('pending')}</Text>}
      </Group>
      <Text size="sm" mt={4} component="div">
        <HostileText max={60}>{change.actor}</HostileText> · <RelativeTime at={change.at} />
      </Text>
      {change.reason && (
        <Text size="sm" c="dimmed" component="div">
          <HostileText max={500}>{change.reason}</HostileText>
        </Text>
      )}
    </>
  );
};
