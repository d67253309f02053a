'use client';

import { Button, FileInput, Group, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { IconFile } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useEffect, useRef, useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Facts } from '@/components/patterns/facts';
import { readBase64 } from '@/components/patterns/file-bytes';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { HostileText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Strong } from '@/components/patterns/strong';
import { useFormat } from '@/components/patterns/use-format';
import { usePlan } from '@/components/patterns/use-plan';
import { type Backup, envContracts } from '@/lib/env/schema';
import { epochOf } from '@/lib/format';
import type { DrawerProps } from './edit-drawer';
import { PassphraseField } from './passphrase-field';
import { changesIn, chosenOf, type Plan, PlanTable } from './plan-table';
import { useChange } from './queries';
import { isChangedMeanwhile, refusalOf } from './refusal';

/** As base64, this fills the largest body a restore accepts. */
const MAX_BYTES = 12 * 1024 * 1024;

interface RestoreDrawerProps extends DrawerProps {
  /** A stored backup; null: a file. */
  backup: Backup | null;
}

type Source = { id: string } | { file: string; passphrase: string };

const useFile = () => {
  const content = useRef('');
  const passphrase = useRef('');
  const [chosen, setChosen] = useState<File | null>(null);
  const [hasPassphrase, setHasPassphrase] = useState(false);
  const tooLarge = chosen !== null && chosen.size > MAX_BYTES;
  return {
    content,
    passphrase,
    chosen,
    tooLarge,
    ready: chosen !== null && !tooLarge && hasPassphrase,
    choose: async (next: File | null) => {
      content.current = next && next.size <= MAX_BYTES ? await readBase64(next) : '';
      setChosen(next);
    },
    type: (next: string) => {
      passphrase.current = next;
      setHasPassphrase(next !== '');
    },
  };
};

/** Restores a backup: first a preview, then all changes or none. The server backs up the current variables first. */
export const RestoreDrawer = ({ backup, ...drawer }: RestoreDrawerProps) => {
  const t = useTranslations('env.restore');
  const { id } = useConnection();
  const file = useFile();
  const plan = usePlan(envContracts.restore);
  const change = useChange(envContracts.restore);
  const [deleteOthers, setDeleteOthers] = useState(false);
  const [leaveFlags, setLeaveFlags] = useState(false);
  const [except, setExcept] = useState<ReadonlySet<string>>(new Set());
  const planned = plan.data;
  const chosen = planned && chosenOf(planned, except);
  const refusal = refusalOf(plan.error, ['file', 'passphrase', 'id']);
  const source = (): Source =>
    backup ? { id: backup.id } : { file: file.content.current, passphrase: file.passphrase.current };
  const preview = (which: { deleteOthers?: boolean; leaveFlags?: boolean } = {}) =>
    plan.mutate({ ...source(), deleteOthers, leaveFlags, ...which });
  const resetPlan = () => {
    plan.reset();
    change.reset();
  };
  // A stored backup needs no further input: preview it immediately.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the drawer opens
  useEffect(() => {
    if (!backup) return;
    // In a timer: strict mode mounts twice, and the second mount would wait for the first one's response.
    const timer = setTimeout(() => preview());
    return () => clearTimeout(timer);
  }, []);
  return (
    <FormDrawer
      {...drawer}
      width="compare"
      title={t(backup ? 'titleStored' : 'titleFile')}
      verb={t('verb', { count: chosen ? changesIn(chosen) : 0 })}
      destructive
      needsConfirmation
      blocked={!chosen || chosen.refused > 0 || changesIn(chosen) === 0}
      change={change}
      input={(words) => ({
        ...source(),
        deleteOthers,
        leaveFlags,
        except: [...except],
        etag: planned?.etag,
        ...words,
      })}
      done={({ created, updated, deleted }) => t('done', { restored: created + updated, deleted })}
      onRefused={(error) => isChangedMeanwhile(error) && preview()}
    >
      <Stack gap="sm">
        <Text size="sm">{t('explain')}</Text>
        {!backup && (
          <FileFields
            file={file}
            fields={refusal.fields}
            onEdit={resetPlan}
            pending={plan.isPending}
            onPreview={() => preview()}
          />
        )}
        {backup && refusal.fields.id && <ProblemAlert error={plan.error} />}
        {refusal.rest !== null && <ProblemAlert error={refusal.rest} onRetry={() => preview()} />}
        {planned?.source && <SourceFacts source={planned.source} connection={id} />}
        {(planned || backup) && (
          <Switch
            label={t('others')}
            description={t('othersHint')}
            checked={deleteOthers}
            disabled={plan.isPending}
            onChange={(event) => {
              setDeleteOthers(event.currentTarget.checked);
              change.reset();
              preview({ deleteOthers: event.currentTarget.checked });
            }}
          />
        )}
        {(leaveFlags || (planned && planned.refused > 0)) && (
          <Switch
            label={t('leaveFlags')}
            description={t('leaveFlagsHint')}
            checked={leaveFlags}
            disabled={plan.isPending}
            onChange={(event) => {
              setLeaveFlags(event.currentTarget.checked);
              change.reset();
              preview({ leaveFlags: event.currentTarget.checked });
            }}
          />
        )}
        {plan.isPending && !planned && <Skeleton height={120} />}
        {planned && (
          <PlanTable
            plan={planned}
            choice={{
              except,
              onChoose: (name, isChosen) => {
                const next = new Set(except);
                if (isChosen) next.delete(name);
                else next.add(name);
                setExcept(next);
                change.reset();
              },
            }}
          />
        )}
        {planned && changesIn(planned) === 0 && planned.refused === 0 && (
          <Strong>{t(leaveFlags ? 'nothingExceptFlags' : 'nothing')}</Strong>
        )}
      </Stack>
    </FormDrawer>
  );
};

interface FileFieldsProps {
  file: ReturnType<typeof useFile>;
  fields: Record<string, string>;
  onEdit: () => void;
  pending: boolean;
  onPreview: () => void;
}

const FileFields = ({ file, fields, onEdit, pending, onPreview }: FileFieldsProps) => {
  const t = useTranslations('env.restore');
  const tEnv = useTranslations('env');
  const tWord = useTranslations('words');
  const { bytes } = useFormat();
  return (
    <>
      <FileInput
        label={t('file')}
        description={t('fileHint')}
        placeholder={tWord('chooseFile')}
        leftSection={<IconFile size={16} aria-hidden />}
        value={file.chosen}
        onChange={(chosen) => {
          onEdit();
          void file.choose(chosen);
        }}
        accept=".kwbackup,application/octet-stream"
        clearable
        clearButtonProps={{ 'aria-label': t('clear') }}
        error={file.tooLarge ? tWord('fileTooLarge', { size: bytes(MAX_BYTES) }) : fields.file}
      />
      <PassphraseField
        label={t('passphrase')}
        error={fields.passphrase}
        onChange={(typed) => {
          onEdit();
          file.type(typed);
        }}
      />
      <Group>
        <Button variant="default" onClick={onPreview} disabled={!file.ready} loading={pending}>
          {tEnv('import.preview')}
        </Button>
      </Group>
    </>
  );
};

const SourceFacts = ({ source, connection }: { source: NonNullable<Plan['source']>; connection: string }) => {
  const t = useTranslations('env.restore');
  const tWord = useTranslations('words');
  const { absolute } = useFormat();
  return (
    <Facts
      facts={[
        {
          label: tWord('created'),
          value: (
            <>
              {absolute(epochOf(source.at))} (<RelativeTime at={source.at} />)
            </>
          ),
        },
        {
          label: tWord('connection'),
          value: (
            <>
              <HostileText max={60}>{source.connection}</HostileText>
              {source.connection !== connection && (
                <Text span size="sm" style={{ color: 'var(--kw-warn-text)' }}>
                  {' '}
                  {t('elsewhere', { here: connection })}
                </Text>
              )}
            </>
          ),
        },
      ]}
    />
  );
};
