'use client';

import { ActionIcon, Badge, Group, Stack, Text, Tooltip } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { HostileText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useUndoToast } from '@/components/patterns/undo-toast';
import { useFormat } from '@/components/patterns/use-format';
import type { Flag, PlannedChange } from '@/lib/flags/schema';
import { epochOf } from '@/lib/format';
import { visibleText } from '@/lib/visible-text';
import { DueTime } from './due-time';
import { useObstacle, useTwoPerson } from './policy';
import { useFlagChange } from './queries';

/** Everything planned for a flag, by time, suspended changes with why; each can be taken out. */
export const PlanList = ({ flag }: { flag: Flag }) => {
  const t = useTranslations('flags.plan');
  const tRequest = useTranslations('flags.request');
  const { id } = useConnection();
  const { absolute } = useFormat();
  const mayChange = useObstacle() === null;
  const asking = useTwoPerson();
  const unschedule = useFlagChange('unschedule', id);
  const request = useFlagChange('request', id);
  const toast = useUndoToast();
  if (flag.schedule.length === 0) return <Text size="sm">{t('nothing')}</Text>;
  const name = visibleText(flag.name, 60);
  const takeOut = (plan: PlannedChange) =>
    unschedule.mutate(
      { name: flag.name, id: plan.id },
      { onSuccess: ({ auditId }) => toast({ message: t('takenOut', { name }), auditId }) },
    );
  const askOut = (plan: PlannedChange) =>
    request.mutate(
      { name: flag.name, action: 'unschedule', plan: plan.id },
      { onSuccess: ({ auditId }) => toast({ message: tRequest('made', { name }), auditId }) },
    );
  // What two people agreed to is taken out by two; what is suspended will not happen anyway.
  const isAsked = (plan: PlannedChange) => asking && plan.state === 'waiting';
  return (
    <Stack gap="xs">
      <Stack
        gap="xs"
        component="ul"
        aria-label={t('list')}
        style={{ margin: 0, padding: 0, listStyle: 'none' }}
      >
        {flag.schedule.map((plan) => (
          <Group key={plan.id} component="li" justify="space-between" wrap="nowrap" align="flex-start">
            <PlanLine plan={plan} />
            {mayChange && !(isAsked(plan) && flag.request?.state === 'pending') && (
              <Tooltip label={t(isAsked(plan) ? 'askOut' : 'takeOut')}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label={t(isAsked(plan) ? 'askOutOf' : 'takeOutOf', {
                    state: t(plan.enabled ? 'on' : 'off'),
                    at: absolute(epochOf(plan.at)),
                  })}
                  loading={
                    (unschedule.isPending && unschedule.variables.id === plan.id) ||
                    (request.isPending && request.variables.plan === plan.id)
                  }
                  onClick={() => (isAsked(plan) ? askOut(plan) : takeOut(plan))}
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

const PlanLine = ({ plan }: { plan: PlannedChange }) => {
  const t = useTranslations('flags.plan');
  const { absolute } = useFormat();
  const suspended = plan.state === 'suspended';
  return (
    <div>
      <Group gap={8}>
        <Text span size="sm" fw={600}>
          {t(plan.enabled ? 'on' : 'off')}
        </Text>
        <Text span size="sm">
          {absolute(epochOf(plan.at))}
        </Text>
        {suspended ? (
          <Badge color="orange">{t('suspended')}</Badge>
        ) : (
          <Text span size="sm" c="dimmed">
            <DueTime at={plan.at} />
          </Text>
        )}
      </Group>
      <Text size="xs" c="dimmed" component="div">
        <HostileText max={120}>{plan.by}</HostileText>
        {plan.reason && (
          <>
            {' · '}
            <HostileText max={300}>{plan.reason}</HostileText>
          </>
        )}
      </Text>
      {suspended && (
        <Text size="xs" component="div" style={{ color: 'var(--kw-warn-text)' }}>
          <HostileText max={300}>{plan.why}</HostileText>
        </Text>
      )}
    </div>
  );
};
