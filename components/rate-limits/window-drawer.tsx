'use client';

import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { Fragment } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Drawer } from '@/components/patterns/drawer';
import { Facts } from '@/components/patterns/facts';
import { Count } from '@/components/patterns/figures';
import { KeyText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useMay } from '@/components/patterns/viewer';
import type { RateWindow } from '@/lib/rate-limits/schema';
import { visibleText } from '@/lib/visible-text';
import type { PlannedChange } from './change-window';
import { NextEventLine } from './next-event';
import { rateLimitQueries } from './queries';
import { RefusedEvents } from './refused-events';
import { LimitFigure, PeriodFigure, ProjectCell, StateBadge } from './window-parts';

interface WindowDrawerProps {
  window: RateWindow | null;
  opened: boolean;
  onClose: () => void;
  onChange: (kind: PlannedChange['kind'], window: RateWindow) => void;
  onWhatIf: (projectId: string) => void;
}

/** One window, the answer to the project's next event, and its refused events. */
export const WindowDrawer = ({ window, opened, onClose, onChange, onWhatIf }: WindowDrawerProps) => {
  const t = useTranslations('rateLimits');
  if (!window) return null;
  const { field, projectId, state } = window;
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={480}
      title={t('drawer.title', { what: visibleText(field, 60) })}
    >
      <Stack gap="md">
        <Alert color={state === 'limited' || state === 'unreadable' ? 'orange' : 'gray'}>
          {t(`stateMeans.${state}`)}
        </Alert>
        <WindowFacts window={window} />
        {projectId === null ? (
          <Text size="sm" c="dimmed">
            {t('drawer.noEvents')}
          </Text>
        ) : (
          <Fragment key={projectId}>
            <NextOfProject projectId={projectId} />
            <RefusedEvents projectId={projectId} />
          </Fragment>
        )}
        <WindowActions window={window} onChange={onChange} onWhatIf={onWhatIf} />
      </Stack>
    </Drawer>
  );
};

const WindowFacts = ({ window }: { window: RateWindow }) => {
  const t = useTranslations('rateLimits');
  const { state, count, limit, limitSource, periodSeconds, periodSource, raw } = window;
  return (
    <Facts
      facts={[
        { label: t('column.project'), value: <ProjectCell window={window} /> },
        { label: t('column.state'), value: <StateBadge state={state} /> },
        { label: t('column.count'), value: <Count value={count} /> },
        { label: t('column.limit'), value: <LimitFigure limit={limit} source={limitSource} /> },
        { label: t('column.period'), value: <PeriodFigure seconds={periodSeconds} source={periodSource} /> },
        {
          label: t('column.remaining'),
          value: state === 'unlimited' ? t('unlimited') : <Count value={window.remaining} />,
        },
        { label: t('column.windowStart'), value: <RelativeTime at={window.windowStart} /> },
        { label: t('column.resetsAt'), value: <RelativeTime at={window.resetsAt} /> },
        {
          label: t('drawer.stored'),
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
      <Text fw={600} size="sm" mb={4}>
        {t('next')}
      </Text>
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

const WindowActions = ({
  window,
  onChange,
  onWhatIf,
}: Pick<WindowDrawerProps, 'onChange' | 'onWhatIf'> & { window: RateWindow }) => {
  const t = useTranslations('rateLimits');
  const mayWrite = useMay('guard:write');
  const { projectId, raw, state } = window;
  return (
    <Group justify="flex-end" gap="sm">
      {projectId !== null && (
        <Button variant="default" onClick={() => onWhatIf(projectId)}>
          {t('whatIf.open')}
        </Button>
      )}
      {mayWrite && raw !== null && state === 'unreadable' && (
        <Button color="red" onClick={() => onChange('repair', window)}>
          {t('repair.button')}
        </Button>
      )}
      {mayWrite && raw !== null && state !== 'unreadable' && (
        <Button color="red" onClick={() => onChange('reset', window)}>
          {t('reset.button')}
        </Button>
      )}
    </Group>
  );
};
