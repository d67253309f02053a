'use client';

import { Alert, Anchor, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { AddressDrawerProps } from '@/components/contract-list/declare-list';
import { useActionWords } from '@/components/patterns/action-words';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { confirmationAsked } from '@/components/patterns/confirmation-asked';
import { Dimmed } from '@/components/patterns/dimmed';
import { Drawer } from '@/components/patterns/drawer';
import { type Fact, Facts } from '@/components/patterns/facts';
import { HostileText } from '@/components/patterns/hostile-text';
import { useNow } from '@/components/patterns/now';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { readQuery } from '@/components/patterns/read-query';
import { RecoveryNote } from '@/components/patterns/recovery';
import { AbsoluteTime } from '@/components/patterns/relative-time';
import { TargetText } from '@/components/patterns/target-text';
import { UndoAlert } from '@/components/patterns/undo-outcome';
import { useFormat } from '@/components/patterns/use-format';
import { useUndo } from '@/components/patterns/use-undo';
import { useViewer } from '@/components/patterns/viewer';
import { type AuditEntry, auditContracts } from '@/lib/audit/schema';
import { familyContracts } from '@/lib/families/schema';
import { flagContracts } from '@/lib/flags/schema';
import { epochOf } from '@/lib/format';
import { guardContracts } from '@/lib/guard/schema';
import { allows, isRole } from '@/lib/permissions';
import { SECOND } from '@/lib/time';
import { ChangeDiff } from './change-diff';
import { OutcomeBadge } from './outcome';
import { targetName } from './target';

/** The full audit entry with its changes, and an undo button. */
export const EntryDrawer = ({ id, onChange, onClose }: AddressDrawerProps) => {
  const t = useTranslations('audit');
  const tWord = useTranslations('words');
  const [undoing, setUndoing] = useState<AuditEntry | null>(null);
  const undo = useUndo();
  const words = useActionWords();
  const confirm = confirmationAsked(undo.error);
  const close = () => {
    undo.reset();
    onClose();
  };
  const openUndo = (entry: AuditEntry) => {
    undo.reset();
    setUndoing(entry);
  };
  return (
    <>
      <Drawer
        opened={id !== '' && undoing === null}
        onClose={close}
        inAddress
        width="detail"
        title={tWord('auditEntry')}
      >
        {id !== '' && (
          <Stack gap="md">
            {undo.data && <UndoAlert {...undo.data} />}
            <OneEntry key={id} id={id} onEntry={(entry) => onChange({ entry })} onUndo={openUndo} />
          </Stack>
        )}
      </Drawer>
      <ChangeDrawer
        opened={undoing !== null}
        onClose={() => setUndoing(null)}
        title={t('undo.title', { action: undoing ? words(undoing.action) : '' })}
        verb={tWord('undo')}
        pending={undo.isPending}
        error={confirm === null && undo.error}
        confirm={confirm}
        onSubmit={(given) =>
          undoing && undo.mutate({ auditId: undoing.id, ...given }, { onSuccess: () => setUndoing(null) })
        }
      >
        {undoing && <UndoConsequence entry={undoing} />}
      </ChangeDrawer>
    </>
  );
};

const UndoConsequence = ({ entry }: { entry: AuditEntry }) => {
  const t = useTranslations('audit');
  return (
    <Stack gap="sm">
      <Text size="sm">
        {t('undo.consequence')} <TargetText max={200}>{entry.target}</TargetText>
      </Text>
      <ChangeDiff before={entry.after} after={entry.before} />
      <Text size="sm">{t('undo.unlessChanged')}</Text>
    </Stack>
  );
};

interface OneEntryProps {
  id: string;
  onEntry: (id: string) => void;
  onUndo: (entry: AuditEntry) => void;
}

const OneEntry = ({ id, onEntry, onUndo }: OneEntryProps) => {
  const t = useTranslations('audit');
  const {
    data: entry,
    error,
    refetch,
  } = useQuery({
    ...readQuery(auditContracts.list, null, { id }),
    select: ({ items }) => items[0] ?? null,
  });
  if (error && !entry) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (entry === undefined) return <Skeleton height={240} />;
  if (entry === null)
    return (
      <Alert color="orange" title={t('noEntry.title')}>
        {t('noEntry.text')} <HostileText max={60}>{id}</HostileText>
      </Alert>
    );
  return (
    <>
      <EntryFacts entry={entry} onEntry={onEntry} />
      <div>
        <Title order={3} fz="sm" mb={4}>
          {t('diff.title')}
        </Title>
        <ChangeDiff before={entry.before} after={entry.after} />
      </div>
      {entry.action === familyContracts.invalidate.id && entry.outcome !== 'pending' && entry.connection && (
        <RecoveryNote connection={entry.connection} auditId={entry.id} />
      )}
      <UndoButton entry={entry} onUndo={onUndo} />
    </>
  );
};

/** The name of the target, with the recorded text where that differs. */
const Target = ({ entry }: { entry: AuditEntry }) => {
  const name = targetName(entry);
  return (
    <>
      <TargetText max={200}>{name}</TargetText>
      {name !== entry.target && (
        <Dimmed size="xs">
          <HostileText>{entry.target}</HostileText>
        </Dimmed>
      )}
    </>
  );
};

/** Who requested an approved change, and why it was approved. The requester's reason is that of the entry. */
const approvalFacts = ({ approval }: AuditEntry, t: ReturnType<typeof useTranslations<'audit'>>): Fact[] =>
  approval
    ? [
        { label: t('requestedBy'), value: <HostileText>{approval.requestedBy}</HostileText> },
        { label: t('approvedBy'), value: <HostileText>{approval.approvedBy}</HostileText> },
        {
          label: t('approvalReason'),
          value: <HostileText max={500}>{approval.approvalReason}</HostileText>,
        },
      ]
    : [];

const EntryFacts = ({ entry, onEntry }: { entry: AuditEntry; onEntry: (id: string) => void }) => {
  const t = useTranslations('audit');
  const tWord = useTranslations('words');
  const tUsers = useTranslations('users');
  const words = useActionWords();
  const facts: (Fact | null)[] = [
    { label: t('column.outcome'), value: <OutcomeBadge entry={entry} /> },
    entry.detail ? { label: t('detail'), value: <TargetText max={500}>{entry.detail}</TargetText> } : null,
    { label: tWord('action'), value: `${words(entry.action)} (${entry.action})` },
    { label: t('column.actor'), value: <TargetText max={200}>{entry.actor}</TargetText> },
    { label: tWord('role'), value: isRole(entry.role) ? tUsers(`role.${entry.role}`) : '—' },
    { label: tWord('connection'), value: entry.connection ?? '—' },
    { label: tWord('target'), value: <Target entry={entry} /> },
    { label: tWord('reason'), value: <HostileText max={500}>{entry.reason}</HostileText> },
    ...approvalFacts(entry, t),
    { label: t('column.at'), value: <AbsoluteTime at={entry.at} /> },
    entry.finishedAt ? { label: t('finished'), value: <AbsoluteTime at={entry.finishedAt} /> } : null,
    entry.undoneBy ? { label: t('undone'), value: <UndoneBy id={entry.undoneBy} onEntry={onEntry} /> } : null,
    { label: t('column.id'), value: <code>{entry.id}</code> },
    { label: tWord('request'), value: entry.requestId ? <code>{entry.requestId}</code> : '—' },
  ];
  return <Facts facts={facts} />;
};

const UndoneBy = ({ id, onEntry }: { id: string; onEntry: (id: string) => void }) => {
  const t = useTranslations('audit');
  return (
    <Anchor component="button" size="sm" onClick={() => onEntry(id)}>
      {t('undoneEntry')}
    </Anchor>
  );
};

/** Permission that each change needs; its undo needs the same. */
const ACCESS = new Map(
  [...Object.values(flagContracts), ...Object.values(guardContracts)].map((contract) => [
    contract.id as string,
    contract.permission,
  ]),
);

/** Whether to offer undo: still available, not undone yet, and the viewer may make the change itself. */
const useMayUndo = (entry: AuditEntry): boolean => {
  const { role } = useViewer();
  const now = useNow();
  const until = epochOf(entry.undoUntil);
  if (until === null || entry.undoneBy !== null || until <= (now ?? 0)) return false;
  const access = ACCESS.get(entry.action);
  return access === undefined || allows(role, access);
};

const UndoButton = ({ entry, onUndo }: { entry: AuditEntry; onUndo: (entry: AuditEntry) => void }) => {
  const t = useTranslations('audit.undo');
  const offered = useMayUndo(entry);
  const now = useNow();
  const { duration } = useFormat();
  if (!offered) return null;
  return (
    <Group justify="space-between">
      <Dimmed size="xs">
        {t('until', { left: duration(Math.max(0, ((epochOf(entry.undoUntil) ?? 0) - (now ?? 0)) / SECOND)) })}
      </Dimmed>
      <Button
        variant="default"
        leftSection={<IconArrowBackUp size={16} aria-hidden />}
        onClick={() => onUndo(entry)}
      >
        {t('open')}
      </Button>
    </Group>
  );
};
