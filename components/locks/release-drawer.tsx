'use client';

import { Alert, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { Facts } from '@/components/patterns/facts';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { KeyText } from '@/components/patterns/hostile-text';
import { Strong } from '@/components/patterns/strong';
import { useCommand } from '@/components/patterns/use-command';
import { type Lock, lockContracts } from '@/lib/locks/schema';
import { visibleText } from '@/lib/visible-text';
import { AgeFigure, LeftFigure, LockProblems, OwnerText } from './list-parts';

const WITHOUT_OWNER: readonly Lock['problems'][number][] = ['noOwner', 'empty', 'wrongType'];

/** What is compared before the lock is deleted. */
const onlyOf = ({ problems, ttlSeconds }: Lock) => {
  if (!problems.some((problem) => WITHOUT_OWNER.includes(problem))) return 'only';
  return ttlSeconds === null ? 'onlyForever' : 'onlyFlag';
};

/** Releases a lock as it was chosen: only this owner's. Says what that does to the work it protects. */
export const ReleaseDrawer = ({ row: lock, current, ...drawer }: RowDrawerProps<Lock>) => {
  const t = useTranslations('locks.lock');
  const tWord = useTranslations('words');
  const change = useCommand(lockContracts.release);
  const name = lock ? visibleText(lock.key, 60) : '';
  const changedHands = lock !== null && current !== undefined && current.etag !== lock.etag;
  return (
    <FormDrawer
      {...drawer}
      title={t('release.title', { key: name })}
      verb={t('release.verb')}
      destructive
      needsConfirmation
      change={change}
      input={(words) => ({ keyId: lock?.keyId ?? '', etag: lock?.etag ?? '', ...words })}
      done={({ takenAgain }) => t(takenAgain ? 'release.takenAgain' : 'release.done', { key: name })}
      staysValid={t('release.stays')}
      stays="asItIs"
    >
      {lock && (
        <Stack gap="sm">
          <Facts
            facts={[
              { label: t('column.key'), value: <KeyText max={200}>{lock.key}</KeyText> },
              { label: t('column.owner'), value: <OwnerText lock={lock} /> },
              { label: tWord('age'), value: <AgeFigure lock={lock} /> },
              { label: t('column.ttl'), value: <LeftFigure seconds={lock.ttlSeconds} /> },
              { label: t('column.problems'), value: <LockProblems lock={lock} /> },
            ]}
          />
          {changedHands && <Alert color="red">{t('release.changedHands')}</Alert>}
          <Text size="sm">{t('release.consequence')}</Text>
          <Text size="sm">{t(`release.${onlyOf(lock)}`)}</Text>
          <Strong>{t('release.final')}</Strong>
        </Stack>
      )}
    </FormDrawer>
  );
};
