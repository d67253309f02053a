'use client';

import { Button, Stack, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useEffect, useEffectEvent, useState } from 'react';
import { ChangeDrawer, type ChangeWords } from '@/components/patterns/change-drawer';
import { Dimmed } from '@/components/patterns/dimmed';
import { Drawer } from '@/components/patterns/drawer';
import { useNow } from '@/components/patterns/now';
import { useUndoToast } from '@/components/patterns/undo-toast';
import { useCommand } from '@/components/patterns/use-command';
import type { Flag } from '@/lib/flags/schema';
import { flagContracts } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import { FlagDeleted } from './changed-meanwhile';
import { type NewChange, NewChangeFields, type TimeFault } from './new-change-fields';
import { faultsOf, nextState } from './new-changes';
import { useObstacle, useTwoPerson } from './policy';
import { ScheduleList } from './schedule-list';

interface ScheduleDrawerProps {
  /** The flag's name; null while the drawer is closed. */
  name: string | null;
  /** The flag as listed now; undefined if deleted or not loaded yet. */
  flag: Flag | undefined;
  loaded: boolean;
  onClose: () => void;
}

/** A flag's scheduled changes, and a form to schedule more for users who may. */
export const ScheduleDrawer = ({ name, flag, loaded, onClose }: ScheduleDrawerProps) => {
  const t = useTranslations('flags.schedule');
  const mayChange = useObstacle() === null;
  const maySchedule = mayChange && flag?.enabled != null && flag.request?.state !== 'pending';
  return (
    <>
      <ScheduleForm flag={flag} opened={maySchedule} onClose={onClose} />
      <Drawer
        opened={name !== null && !maySchedule}
        onClose={onClose}
        inAddress
        width="form"
        title={name === null ? '' : t('of', { name: visibleText(name, 60) })}
      >
        {flag && <ScheduleList flag={flag} onCancelled={onClose} />}
        {flag && mayChange && (
          <Dimmed mt="md">{t(flag.enabled === null ? 'notBoolean' : 'requestOpen')}</Dimmed>
        )}
        {name !== null && !flag && loaded && <FlagDeleted name={name} />}
      </Drawer>
    </>
  );
};

/** Sends one request per change, soonest first. If one fails, only the rest stay in the form. */
const useScheduling = (flag: Flag | undefined, onClose: () => void) => {
  const t = useTranslations('flags.schedule');
  const needsApproval = useTwoPerson();
  const schedule = useCommand(flagContracts.schedule);
  const request = useCommand(flagContracts.request);
  const toast = useUndoToast();
  const [changes, setChanges] = useState<NewChange[]>([]);
  const begin = () => {
    schedule.reset();
    request.reset();
    setChanges(flag ? [{ id: 0, enabled: nextState([], flag), at: '' }] : []);
  };
  const send = async (
    { name, etag }: Flag,
    { enabled, at }: NewChange,
    words: ChangeWords,
  ): Promise<void> => {
    const input = { name, enabled, at, etag, ...words };
    await (needsApproval ? request.mutateAsync(input) : schedule.mutateAsync(input));
  };
  const submit = async (words: ChangeWords): Promise<void> => {
    if (!flag) return;
    const inOrder = [...changes].sort((a, b) => (a.at < b.at ? -1 : 1));
    try {
      for (const change of inOrder) {
        await send(flag, change, words);
        setChanges((rest) => (rest.length > 1 ? rest.filter((other) => other.id !== change.id) : rest));
      }
    } catch {
      // The drawer shows the mutation's error beside the remaining changes.
      return;
    }
    const name = visibleText(flag.name, 60);
    onClose();
    toast({
      message: needsApproval ? t('requested', { name }) : t('done', { name, count: inOrder.length }),
      auditId: null,
    });
  };
  return {
    needsApproval,
    changes,
    setChanges,
    begin,
    submit,
    pending: schedule.isPending || request.isPending,
    error: schedule.error ?? request.error,
  };
};

interface ScheduleFormProps {
  flag: Flag | undefined;
  opened: boolean;
  onClose: () => void;
}

const ScheduleForm = ({ flag, opened, onClose }: ScheduleFormProps) => {
  const t = useTranslations('flags.schedule');
  const scheduling = useScheduling(flag, onClose);
  const { needsApproval, changes } = scheduling;
  const now = useNow('second') ?? 0;
  const faults = flag ? faultsOf(changes, flag, now) : [];
  const begin = useEffectEvent(scheduling.begin);
  useEffect(() => {
    if (opened) begin();
  }, [opened]);
  return (
    <ChangeDrawer
      operation="flags.set"
      opened={opened}
      onClose={onClose}
      inAddress
      title={flag ? t('of', { name: visibleText(flag.name, 60) }) : ''}
      verb={needsApproval ? t('request') : t('verb', { count: changes.length })}
      blocked={changes.some(({ at }) => at === '') || faults.some((fault) => fault !== null)}
      pending={scheduling.pending}
      error={scheduling.error}
      onSubmit={(words) => void scheduling.submit(words)}
    >
      {flag && (
        <Stack gap="md">
          <span>{t(flag.enabled ? 'nowOn' : 'nowOff')}</span>
          {flag.schedule.length > 0 && (
            <Stack gap="xs">
              <Title order={3} size="sm">
                {t('list')}
              </Title>
              <ScheduleList flag={flag} onCancelled={onClose} />
            </Stack>
          )}
          <NewChangeList
            flag={flag}
            changes={changes}
            faults={faults}
            single={needsApproval}
            onChange={scheduling.setChanges}
          />
          <span>{t(needsApproval ? 'consequenceRequest' : 'consequence')}</span>
        </Stack>
      )}
    </ChangeDrawer>
  );
};

interface NewChangeListProps {
  flag: Flag;
  changes: readonly NewChange[];
  faults: readonly TimeFault[];
  /** A request holds one change only. */
  single: boolean;
  onChange: (changes: NewChange[]) => void;
}

const NewChangeList = ({ flag, changes, faults, single, onChange }: NewChangeListProps) => {
  const t = useTranslations('flags.schedule');
  const update = (id: number, changed: Partial<NewChange>) =>
    onChange(changes.map((change) => (change.id === id ? { ...change, ...changed } : change)));
  const remove = (id: number) => onChange(changes.filter((other) => other.id !== id));
  const add = () => {
    const id = Math.max(...changes.map((change) => change.id)) + 1;
    onChange([...changes, { id, enabled: nextState(changes, flag), at: '' }]);
  };
  return (
    <>
      {changes.map((change, i) => (
        <NewChangeFields
          key={change.id}
          change={change}
          number={i + 1}
          fault={faults[i] ?? null}
          onChange={(changed) => update(change.id, changed)}
          onRemove={changes.length > 1 ? () => remove(change.id) : undefined}
        />
      ))}
      {!single && (
        <div>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={add}
          >
            {t('add')}
          </Button>
        </div>
      )}
    </>
  );
};
