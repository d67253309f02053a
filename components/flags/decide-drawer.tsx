'use client';

import { Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useTranslations } from 'next-intl';
import { useEffect, useEffectEvent } from 'react';
import { ChangeDrawer, type ChangeWords } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { Facts } from '@/components/patterns/facts';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { useUndoToast } from '@/components/patterns/undo-toast';
import { useFormat } from '@/components/patterns/use-format';
import { epochOf } from '@/lib/format';
import { visibleText } from '@/lib/visible-text';
import { useFlagChange } from './queries';
import { type Decision, type NamedRequest, wishOf } from './request-line';

/** A request somebody is deciding about. */
export interface Deciding {
  request: NamedRequest;
  decision: Decision;
}

/** What the three decisions answer; an approval says what became of the change. */
interface Answer {
  auditId: string;
  state?: 'applied' | 'scheduled' | 'suspended';
  why?: string | null;
}

/** Carrying a decision out, and saying what came of it: an approval may find that it does not fit any more. */
const useDeciding = (deciding: Deciding | null, onClose: () => void) => {
  const t = useTranslations('flags.request');
  const { id } = useConnection();
  const approve = useFlagChange('approve', id);
  const decline = useFlagChange('decline', id);
  const withdraw = useFlagChange('withdraw', id);
  const toast = useUndoToast();
  const change = { approve, decline, withdraw }[deciding?.decision ?? 'approve'];
  const submit = async ({ request, decision }: Deciding, { reason }: ChangeWords): Promise<void> => {
    const name = visibleText(request.name, 60);
    const input = { id: request.id, ...(reason ? { reason } : {}) };
    const done: Answer | null = await change.mutateAsync(input).catch(() => null);
    // The drawer shows the mutation's own error.
    if (!done) return;
    onClose();
    const message = t(`${decision}.done`, { name });
    if (done.state === 'suspended')
      notifications.show({
        color: 'orange',
        title: t('notCarriedOut', { name }),
        message: done.why,
        autoClose: 12_000,
        role: 'alert',
        closeButtonProps: { 'aria-label': t('dismiss') },
      });
    else toast({ message, auditId: done.auditId });
  };
  const reset = () => {
    for (const each of [approve, decline, withdraw]) each.reset();
  };
  return { pending: change.isPending, error: change.error, submit, reset };
};

interface DecideDrawerProps {
  deciding: Deciding | null;
  opened: boolean;
  onClose: () => void;
}

/** Approving, declining or withdrawing a request, with what it asks for and what follows. */
export const DecideDrawer = ({ deciding, opened, onClose }: DecideDrawerProps) => {
  const t = useTranslations('flags.request');
  const change = useDeciding(deciding, onClose);
  const begin = useEffectEvent(change.reset);
  useEffect(() => {
    if (opened) begin();
  }, [opened]);
  const decision = deciding?.decision ?? 'approve';
  return (
    <ChangeDrawer
      opened={opened}
      onClose={onClose}
      title={deciding ? t(`${decision}.title`, { name: visibleText(deciding.request.name, 60) }) : ''}
      verb={t(`${decision}.button`)}
      pending={change.pending}
      error={change.error}
      onSubmit={(words) => deciding && void change.submit(deciding, words)}
    >
      {deciding && <Wished {...deciding} />}
    </ChangeDrawer>
  );
};

const Wished = ({ request, decision }: Deciding) => {
  const t = useTranslations('flags.request');
  const { absolute } = useFormat();
  return (
    <Stack gap="sm">
      <Facts
        facts={[
          { label: t('fact.wish'), value: t(`wish.${wishOf(request)}`) },
          { label: t('fact.from'), value: <KeyText max={60}>{request.from}</KeyText> },
          { label: t('fact.to'), value: <KeyText max={60}>{request.to}</KeyText> },
          request.at ? { label: t('fact.at'), value: absolute(epochOf(request.at)) } : null,
          { label: t('fact.by'), value: <HostileText max={120}>{request.by}</HostileText> },
          { label: t('fact.reason'), value: <HostileText max={500}>{request.reason}</HostileText> },
        ]}
      />
      <span>{decision === 'approve' && request.at ? t('approve.planned') : t(`${decision}.follows`)}</span>
    </Stack>
  );
};
