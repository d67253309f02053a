'use client';

import { Button, Stack, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useEffect, useEffectEvent, useState } from 'react';
import { ChangeDrawer, type ChangeWords } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { Drawer } from '@/components/patterns/drawer';
import { fromLocalInput } from '@/components/patterns/local-time';
import { useNow } from '@/components/patterns/now';
import { useUndoToast } from '@/components/patterns/undo-toast';
import type { Flag } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import { FlagGone } from './changed-meanwhile';
import { PlanList } from './plan-list';
import { PlannedFields, type Wish, type WishFault } from './planned-fields';
import { useObstacle, useTwoPerson } from './policy';
import { useFlagChange } from './queries';
import { faultsOf, nextState } from './wishes';

interface PlanDrawerProps {
  /** The flag's name; null while the drawer is closed. */
  name: string | null;
  /** The flag as it is listed now; absent when it is gone, or not read yet. */
  flag: Flag | undefined;
  loaded: boolean;
  onClose: () => void;
}

/** What is planned for a flag; and, for who may, planning more. */
export const PlanDrawer = ({ name, flag, loaded, onClose }: PlanDrawerProps) => {
  const t = useTranslations('flags.plan');
  const mayChange = useObstacle() === null;
  const mayPlan = mayChange && flag?.enabled != null && flag.request?.state !== 'pending';
  return (
    <>
      <PlanForm flag={flag} opened={mayPlan} onClose={onClose} />
      <Drawer
        opened={name !== null && !mayPlan}
        onClose={onClose}
        inAddress
        size={420}
        title={name === null ? '' : t('of', { name: visibleText(name, 60) })}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {flag && <PlanList flag={flag} />}
        {flag && mayChange && (
          <Text size="sm" c="dimmed" mt="md">
            {t(flag.enabled === null ? 'noBoolean' : 'asked')}
          </Text>
        )}
        {name !== null && !flag && loaded && <FlagGone name={name} />}
      </Drawer>
    </>
  );
};

/** Each change is planned by itself, the soonest first; what was planned is not offered again if a later one fails. */
const usePlanning = (flag: Flag | undefined, onClose: () => void) => {
  const t = useTranslations('flags.plan');
  const { id } = useConnection();
  const asking = useTwoPerson();
  const schedule = useFlagChange('schedule', id);
  const request = useFlagChange('request', id);
  const toast = useUndoToast();
  const [wishes, setWishes] = useState<Wish[]>([]);
  const begin = () => {
    schedule.reset();
    request.reset();
    setWishes(flag ? [{ id: 0, enabled: nextState([], flag), at: '' }] : []);
  };
  const plan = async ({ name, etag }: Flag, { enabled, at }: Wish, words: ChangeWords): Promise<void> => {
    const wanted = { name, enabled, at: fromLocalInput(at), etag, ...words };
    await (asking ? request.mutateAsync(wanted) : schedule.mutateAsync(wanted));
  };
  const submit = async (words: ChangeWords): Promise<void> => {
    if (!flag) return;
    const inOrder = [...wishes].sort((a, b) => (a.at < b.at ? -1 : 1));
    try {
      for (const wish of inOrder) {
        await plan(flag, wish, words);
        setWishes((rest) => (rest.length > 1 ? rest.filter((other) => other.id !== wish.id) : rest));
      }
    } catch {
      // The drawer shows the mutation's own error beside what is left to plan.
      return;
    }
    const name = visibleText(flag.name, 60);
    onClose();
    toast({
      message: asking ? t('requested', { name }) : t('done', { name, count: inOrder.length }),
      auditId: null,
    });
  };
  return {
    asking,
    wishes,
    setWishes,
    begin,
    submit,
    pending: schedule.isPending || request.isPending,
    error: schedule.error ?? request.error,
  };
};

interface PlanFormProps {
  flag: Flag | undefined;
  opened: boolean;
  onClose: () => void;
}

const PlanForm = ({ flag, opened, onClose }: PlanFormProps) => {
  const t = useTranslations('flags.plan');
  const planning = usePlanning(flag, onClose);
  const { asking, wishes } = planning;
  const now = useNow('second') ?? 0;
  const faults = flag ? faultsOf(wishes, flag, now) : [];
  const begin = useEffectEvent(planning.begin);
  useEffect(() => {
    if (opened) begin();
  }, [opened]);
  return (
    <ChangeDrawer
      opened={opened}
      onClose={onClose}
      inAddress
      title={flag ? t('of', { name: visibleText(flag.name, 60) }) : ''}
      verb={asking ? t('ask') : t('verb', { count: wishes.length })}
      blocked={wishes.some(({ at }) => at === '') || faults.some((fault) => fault !== null)}
      pending={planning.pending}
      error={planning.error}
      onSubmit={(words) => void planning.submit(words)}
    >
      {flag && (
        <Stack gap="md">
          <span>{t(flag.enabled ? 'nowOn' : 'nowOff')}</span>
          {flag.schedule.length > 0 && (
            <Stack gap="xs">
              <Title order={3} size="sm">
                {t('list')}
              </Title>
              <PlanList flag={flag} />
            </Stack>
          )}
          <WishList
            flag={flag}
            wishes={wishes}
            faults={faults}
            single={asking}
            onChange={planning.setWishes}
          />
          <span>{t(asking ? 'consequenceAsking' : 'consequence')}</span>
        </Stack>
      )}
    </ChangeDrawer>
  );
};

interface WishListProps {
  flag: Flag;
  wishes: readonly Wish[];
  faults: readonly WishFault[];
  /** A request is for one change. */
  single: boolean;
  onChange: (wishes: Wish[]) => void;
}

const WishList = ({ flag, wishes, faults, single, onChange }: WishListProps) => {
  const t = useTranslations('flags.plan');
  const change = (id: number, changed: Partial<Wish>) =>
    onChange(wishes.map((wish) => (wish.id === id ? { ...wish, ...changed } : wish)));
  const remove = (id: number) => onChange(wishes.filter((other) => other.id !== id));
  const add = () => {
    const id = Math.max(...wishes.map((wish) => wish.id)) + 1;
    onChange([...wishes, { id, enabled: nextState(wishes, flag), at: '' }]);
  };
  return (
    <>
      {wishes.map((wish, i) => (
        <PlannedFields
          key={wish.id}
          wish={wish}
          number={i + 1}
          fault={faults[i] ?? null}
          onChange={(changed) => change(wish.id, changed)}
          onRemove={wishes.length > 1 ? () => remove(wish.id) : undefined}
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
            {t('another')}
          </Button>
        </div>
      )}
    </>
  );
};
