'use client';

import { ActionIcon, Badge, Group, Stack, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { ServerSentence } from '@/components/patterns/server-sentence';
import { Strong } from '@/components/patterns/strong';
import { Tooltip } from '@/components/patterns/tooltip';
import { useUndoToast } from '@/components/patterns/undo-toast';
import { useCommand } from '@/components/patterns/use-command';
import { useFormat } from '@/components/patterns/use-format';
import type { Flag, ScheduledChange } from '@/lib/flags/schema';
import { flagContracts } from '@/lib/flags/schema';
import { epochOf } from '@/lib/format';
import { visibleText } from '@/lib/visible-text';
import { DueTime } from './due-time';
import { useObstacle, useTwoPerson } from './policy';

/** A flag's scheduled changes by time, each with a cancel button; suspended ones with the reason. */
export const ScheduleList = ({ flag, onCancelled }: { flag: Flag; onCancelled: () => void }) => {
  const t = useTranslations('flags.schedule');
  const tRequest = useTranslations('flags.request');
  const { absolute } = useFormat();
  const mayChange = useObstacle() === null;
  const needsApproval = useTwoPerson();
  const unschedule = useCommand(flagContracts.unschedule);
  const request = useCommand(flagContracts.request);
  const toast = useUndoToast();
  if (flag.schedule.length === 0) return <Text size="sm">{t('nothing')}</Text>;
  const name = visibleText(flag.name, 60);
  const cancel = (item: ScheduledChange) =>
    unschedule.mutate(
      { name: flag.name, id: item.id },
      {
        onSuccess: ({ auditId, undoUntil }) => {
          // The undo is offered below the drawer.
          onCancelled();
          toast({ message: t('cancelled', { name }), auditId, undoUntil });
        },
      },
    );
  const requestCancel = (item: ScheduledChange) =>
    request.mutate(
      { name: flag.name, action: 'unschedule', plan: item.id },
      { onSuccess: ({ auditId }) => toast({ message: tRequest('made', { name }), auditId }) },
    );
  // Cancelling an approved change needs approval too. A suspended one never runs, so anyone may remove it.
  const needsRequest = (item: ScheduledChange) => needsApproval && item.state === 'waiting';
  return (
    <Stack gap="xs">
      <Stack
        gap="xs"
        component="ul"
        aria-label={t('list')}
        style={{ margin: 0, padding: 0, listStyle: 'none' }}
      >
        {flag.schedule.map((item) => (
          <Group key={item.id} component="li" justify="space-between" wrap="nowrap" align="flex-start">
            <ScheduleLine item={item} />
            {mayChange && !(needsRequest(item) && flag.request?.state === 'pending') && (
              <Tooltip label={t(needsRequest(item) ? 'requestCancel' : 'cancel')}>
                <ActionIcon
                  size="sm"
                  aria-label={t(needsRequest(item) ? 'requestCancelOf' : 'cancelOf', {
                    state: t(item.enabled ? 'on' : 'off'),
                    at: absolute(epochOf(item.at)),
                  })}
                  loading={
                    (unschedule.isPending && unschedule.variables.id === item.id) ||
                    (request.isPending && request.variables.plan === item.id)
                  }
                  onClick={() => (needsRequest(item) ? requestCancel(item) : cancel(item))}
                >
                  <IconX size={15} />
                </ActionIcon>
              </Tooltip>
            )}
          </Group>
        ))}
      </Stack>
      <ProblemAlert error={unschedule.error ?? request.error} />
    </Stack>
  );
};

const ScheduleLine = ({ item }: { item: ScheduledChange }) => {
  const t = useTranslations('flags.schedule');
  const { absolute } = useFormat();
  const suspended = item.state === 'suspended';
  return (
    <div>
      <Group gap={8}>
        <Strong span>{t(item.enabled ? 'on' : 'off')}</Strong>
        <Text span size="sm">
          {absolute(epochOf(item.at))}
        </Text>
        {suspended ? (
          <Badge color="orange">{t('suspended')}</Badge>
        ) : (
          <Dimmed span>
            <DueTime at={item.at} />
          </Dimmed>
        )}
      </Group>
      <Dimmed size="xs" component="div">
        <HostileText max={120}>{item.by}</HostileText>
        {item.reason && (
          <>
            {' · '}
            <HostileText max={300}>{item.reason}</HostileText>
          </>
        )}
      </Dimmed>
      {suspended && (
        <Text size="xs" component="div" style={{ color: 'var(--kw-warn-text)' }}>
          <ServerSentence max={300}>{item.why}</ServerSentence>
        </Text>
      )}
    </div>
  );
};
