'use client';

import { Badge, Button, Group, Text } from '@mantine/core';
import { IconArchive, IconFileDownload, IconFileUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn, bytesColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { useConnection } from '@/components/patterns/connection';
import { Description } from '@/components/patterns/description';
import { Dimmed } from '@/components/patterns/dimmed';
import { Count } from '@/components/patterns/figures';
import { HostileText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { QueryProblem } from '@/components/patterns/query-problem';
import { RelativeTime } from '@/components/patterns/relative-time';
import { StaleBanner } from '@/components/patterns/stale-banner';
import touch from '@/components/patterns/touch.module.css';
import { useUndoToast } from '@/components/patterns/undo-toast';
import { useCommand } from '@/components/patterns/use-command';
import { useFormat } from '@/components/patterns/use-format';
import { useMay } from '@/components/patterns/viewer';
import { type Backup, envContracts } from '@/lib/env/schema';
import { epochOf } from '@/lib/format';
import classes from './env.module.css';
import { envQueries } from './queries';

interface BackupsTabProps {
  onBackup: () => void;
  /** null: restore from a file. */
  onRestore: (backup: Backup | null) => void;
}

const useBackupColumns = (onRestore: ((backup: Backup) => void) | null): DataColumn<Backup>[] => {
  const t = useTranslations('env.backups');
  const tEnv = useTranslations('env');
  const tWord = useTranslations('words');
  const { absolute } = useFormat();
  return useMemo(() => {
    const columns: DataColumn<Backup>[] = [
      {
        id: 'at',
        header: tWord('created'),
        width: 240,
        pinned: true,
        cell: ({ at }) => (
          <>
            <RelativeTime at={at} />
            <Dimmed size="xs">{absolute(epochOf(at))}</Dimmed>
          </>
        ),
      },
      {
        id: 'kind',
        header: tWord('type'),
        width: 170,
        cell: ({ kind }) => <Badge color="gray">{t(`kind.${kind}`)}</Badge>,
      },
      {
        id: 'variables',
        header: tEnv('tab.variables'),
        align: 'right',
        width: 170,
        cell: ({ variables, skipped }) => (
          <>
            <Count value={variables} />
            {skipped.length > 0 && (
              <Text size="xs" style={{ color: 'var(--kw-warn-text)' }}>
                <HostileText max={120}>
                  {t('skipped', { count: skipped.length, names: skipped.join(', ') })}
                </HostileText>
              </Text>
            )}
          </>
        ),
      },
      bytesColumn({ id: 'bytes', header: tWord('size'), width: 110 }),
      timeColumn({
        id: 'expiresAt',
        header: tWord('expires'),
        width: 190,
        none: t('expiresDaily'),
      }),
    ];
    if (onRestore)
      columns.push(
        actionsColumn({
          width: 120,
          cell: (backup) => (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={t('restoreOf', { at: absolute(epochOf(backup.at)) })}
              onClick={() => onRestore(backup)}
            >
              {t('restore')}
            </Button>
          ),
        }),
      );
    return columns;
  }, [t, absolute, onRestore, tWord, tEnv]);
};

/** Automatic backups in the store, and buttons to back up to and restore from a file. */
export const BackupsTab = ({ onBackup, onRestore }: BackupsTabProps) => {
  const t = useTranslations('env.backups');
  const tEnv = useTranslations('env');
  const { id, readOnly } = useConnection();
  const mayReveal = useMay('env:reveal');
  const mayWrite = useMay('env:write');
  const mayRestore = mayWrite && !readOnly;
  const backUp = useCommand(envContracts.backUpNow);
  const toast = useUndoToast();
  const query = useQuery(envQueries.backups(id));
  const columns = useBackupColumns(mayRestore ? onRestore : null);
  if (query.isError && !query.data) return <QueryProblem of={query} />;
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <ProblemAlert error={backUp.error} />
      <Group justify="space-between" align="flex-start" mb="sm" gap="sm">
        <div className={classes.explain}>
          <Description>{t('explain')}</Description>
        </div>
        <Group gap="xs" className={touch.thumbs}>
          {mayRestore && (
            <Button
              variant="default"
              leftSection={<IconFileUpload size={16} aria-hidden />}
              onClick={() => onRestore(null)}
            >
              {tEnv('restore.titleFile')}
            </Button>
          )}
          {mayWrite && (
            <Button
              variant="default"
              leftSection={<IconArchive size={16} aria-hidden />}
              loading={backUp.isPending}
              onClick={() =>
                backUp.mutate(
                  {},
                  {
                    onSuccess: ({ auditId, backup }) =>
                      toast({ message: t('stored', { count: backup.variables }), auditId }),
                  },
                )
              }
            >
              {t('now')}
            </Button>
          )}
          {mayReveal && (
            <Button
              variant="default"
              leftSection={<IconFileDownload size={16} aria-hidden />}
              onClick={onBackup}
            >
              {tEnv('backup.title')}
            </Button>
          )}
        </Group>
      </Group>
      <DataTable
        label={t('label')}
        name="variable-backups"
        columns={columns}
        rows={query.data?.items ?? []}
        rowId={(backup) => backup.id}
        loading={query.isPending}
        empty={{ icon: IconArchive, title: t('empty.title'), text: t('empty.text') }}
      />
    </>
  );
};
