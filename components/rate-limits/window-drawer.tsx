'use client';

import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { Fragment } from 'react';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { AllChanges } from '@/components/patterns/all-changes';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Drawer } from '@/components/patterns/drawer';
import { Facts } from '@/components/patterns/facts';
import { Count } from '@/components/patterns/figures';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Strong } from '@/components/patterns/strong';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import type { RateWindow } from '@/lib/rate-limits/schema';
import { visibleText } from '@/lib/visible-text';
import { NO_TEST } from './address';
import { NextEventLine } from './next-event';
import { rateLimitQueries } from './queries';
import { RefusedEvents } from './refused-events';
import { LimitFigure, PeriodFigure, ProjectCell, RemainingFigure, StateBadge } from './window-parts';

/** One window, the answer to the project's next event, and its refused events. */
export const WindowDrawer = ({ row, current, opened, onClose, onAction }: RowDrawerProps<RateWindow>) => {
  const t = useTranslations('rateLimits');
  const window = current ?? row;
  if (!window) return null;
  const { field, projectId, state } = window;
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      width="detail"
      title={t('drawer.title', { what: visibleText(field, 60) })}
    >
      <Stack gap="md">
        <Alert color={state === 'limited' || state === 'unreadable' ? 'orange' : 'gray'}>
          {t(`stateMeans.${state}`)}
        </Alert>
        <WindowFacts window={window} />
        {window.limitSource !== 'none' && <Dimmed>{t(`drawer.raise.${window.limitSource}`)}</Dimmed>}
        {projectId === null ? (
          <Dimmed>{t('drawer.noEvents')}</Dimmed>
        ) : (
          <Fragment key={projectId}>
            <NextOfProject projectId={projectId} />
            <RefusedEvents projectId={projectId} />
          </Fragment>
        )}
        <WindowActions window={window} onClose={onClose} onAction={onAction} />
      </Stack>
    </Drawer>
  );
};

const WindowFacts = ({ window }: { window: RateWindow }) => {
  const t = useTranslations('rateLimits');
  const tWord = useTranslations('words');
  const { state, count, limit, limitSource, periodSeconds, periodSource, raw, names } = window;
  const level = (of: RateWindow['names']['plan']) =>
    of && <HostileText max={120}>{of.name === null ? of.id : `${of.name} (${of.id})`}</HostileText>;
  return (
    <Facts
      facts={[
        { label: t('column.project'), value: <ProjectCell window={window} /> },
        names.workspace && { label: t('drawer.workspace'), value: level(names.workspace) },
        names.plan && { label: t('drawer.plan'), value: level(names.plan) },
        { label: tWord('state'), value: <StateBadge state={state} /> },
        { label: t('column.count'), value: <Count value={count} /> },
        { label: tWord('limit'), value: <LimitFigure limit={limit} source={limitSource} /> },
        { label: tWord('period'), value: <PeriodFigure seconds={periodSeconds} source={periodSource} /> },
        {
          label: t('column.remaining'),
          value: <RemainingFigure window={window} />,
        },
        { label: t('column.windowStart'), value: <RelativeTime at={window.windowStart} /> },
        { label: t('column.resetsAt'), value: <RelativeTime at={window.resetsAt} /> },
        {
          label: tWord('storedValue'),
          value: raw === null ? t('drawer.notStored') : <KeyText max={200}>{raw}</KeyText>,
        },
      ]}
    />
  );
};

const NextOfProject = ({ projectId }: { projectId: string }) => {
  const t = useTranslations('rateLimits.whatIf');
  const connection = useConnection();
  const { data, error } = useQuery(rateLimitQueries.whatIf(connection.id, { projectId }));
  return (
    <section aria-label={t('next')}>
      <Strong mb={4}>{t('next')}</Strong>
      {error && !data && <ProblemAlert error={error} />}
      {!data && !error && <Skeleton height={44} />}
      {data?.project && (
        <>
          <NextEventLine event={data.project.present} blocked={data.project.blocked} />
          <Text size="sm" mt={4}>
            {t(`release.${data.project.releases}`)}
          </Text>
        </>
      )}
    </section>
  );
};

interface WindowActionsProps extends Pick<RowDrawerProps<RateWindow>, 'onClose' | 'onAction'> {
  window: RateWindow;
}

const WindowActions = ({ window: { projectId, raw, state }, onClose, onAction }: WindowActionsProps) => {
  const t = useTranslations('rateLimits');
  const mayWrite = useMay('guard:write');
  const [, setTest] = useUrlState(NO_TEST);
  const action = state === 'unreadable' ? 'repair' : 'reset';
  return (
    <Group justify="flex-end" gap="sm">
      {projectId !== null && <AllChanges kind="project" name={projectId} />}
      {projectId !== null && (
        <Button
          variant="default"
          onClick={() => {
            onClose();
            setTest({ whatif: '1', project: projectId });
          }}
        >
          {t('whatIf.open')}
        </Button>
      )}
      {mayWrite && raw !== null && (
        <Button color="red" onClick={() => onAction?.(action)}>
          {t(`${action}.verb`)}
        </Button>
      )}
    </Group>
  );
};
