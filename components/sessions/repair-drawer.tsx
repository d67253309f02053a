'use client';

import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { JobChangeDrawer } from '@/components/patterns/job-change-drawer';
import { sessionStatsQuery } from '@/components/patterns/session-stats-query';
import { Strong } from '@/components/patterns/strong';
import { useCommand } from '@/components/patterns/use-command';
import { type RepairKind, type RepairResult, repairContracts } from '@/lib/sessions/repair/schema';
import { RepairChoice } from './repair-choice';
import { repairResultOf } from './repair-job';

/** Repairs that sign nobody out: selected by default. */
const HARMLESS: readonly RepairKind[] = ['staleIndex', 'unindexed', 'ghost'];

interface RepairDrawerProps {
  opened: boolean;
  /** Selected when the drawer opens; null for the harmless kinds. */
  kind: RepairKind | null;
  onClose: () => void;
  onStarted: (jobId: string) => void;
}

const repairable = ({ before, left }: RepairResult): number =>
  Object.values(before).reduce((sum, count) => sum + count, 0) - left;

/** Selects what to repair, counts it with a dry run, then runs the repair as a job. */
export const RepairDrawer = ({ kind, onStarted, ...drawer }: RepairDrawerProps) => {
  const t = useTranslations('sessions.repair');
  const [kinds, setKinds] = useState<readonly RepairKind[]>(kind ? [kind] : HARMLESS);
  const repair = useCommand(repairContracts.repair);
  return (
    <JobChangeDrawer
      {...drawer}
      onJob={onStarted}
      inAddress
      title={t('title')}
      verb={t('count')}
      destructive
      change={repair}
      input={kinds.length > 0 ? { kinds: [...kinds] } : null}
      dryRun={{
        resultOf: repairResultOf,
        running: t('count'),
        verb: (counted) => t('verb', { count: repairable(counted) }),
        count: repairable,
        children: (counted) => (
          <div role="status">
            <Strong>{t('counted', { count: repairable(counted) })}</Strong>
            <NotRepaired />
          </div>
        ),
      }}
      blocked={kinds.length === 0}
    >
      {(counted) => (
        <>
          <span>{t('sentence')}</span>
          <RepairChoice
            kinds={kinds}
            counted={counted}
            onChange={(next) => {
              repair.reset();
              setKinds(next);
            }}
          />
          {!counted && <Dimmed size="xs">{t(kinds.length === 0 ? 'chooseOne' : 'countFirst')}</Dimmed>}
        </>
      )}
    </JobChangeDrawer>
  );
};

/** How many malformed sessions no repair changes. */
const NotRepaired = () => {
  const t = useTranslations('sessions.repair');
  const { id } = useConnection();
  const { data } = useQuery(sessionStatsQuery(id));
  const malformed = data?.byState?.malformed ?? 0;
  return malformed > 0 && <Text size="sm">{t('malformed', { count: malformed })}</Text>;
};
