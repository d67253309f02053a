'use client';

import { Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useTranslations } from 'next-intl';
import { Facts } from '@/components/patterns/facts';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { useCommand } from '@/components/patterns/use-command';
import { useFormat } from '@/components/patterns/use-format';
import type { Result } from '@/lib/contract';
import { flagContracts } from '@/lib/flags/schema';
import { epochOf } from '@/lib/format';
import { visibleText } from '@/lib/visible-text';
import { type Decision, type NamedRequest, requestKind } from './request-line';

/** The request that the open drawer approves, declines or withdraws. */
export interface Deciding {
  request: NamedRequest;
  decision: Decision;
}

type Decided = Result<(typeof flagContracts)[Decision]>;

/** An approved request that was not applied, because the flag has changed since. */
const suspendedOf = (decided: Decided) =>
  'state' in decided && decided.state === 'suspended' ? decided : null;

interface DecideDrawerProps {
  deciding: Deciding | null;
  opened: boolean;
  onClose: () => void;
}

/** Approves, declines or withdraws a request; shows what it changes. */
export const DecideDrawer = ({ deciding, ...drawer }: DecideDrawerProps) => {
  const t = useTranslations('flags.request');
  const tWord = useTranslations('words');
  const decision = deciding?.decision ?? 'approve';
  const change = useCommand(flagContracts[decision]);
  const name = visibleText(deciding?.request.name ?? '', 60);
  const notifySuspended = (decided: Decided) => {
    const suspended = suspendedOf(decided);
    if (!suspended) return;
    notifications.show({
      color: 'orange',
      title: t('notApplied', { name }),
      message: suspended.why,
      autoClose: 12_000,
      role: 'alert',
      closeButtonProps: { 'aria-label': tWord('dismiss') },
    });
  };
  return (
    <FormDrawer
      operation={decision === 'approve' ? 'flags.approve' : undefined}
      {...drawer}
      title={deciding ? t(`${decision}.title`, { name }) : ''}
      verb={t(`${decision}.button`)}
      change={change}
      input={(words) => ({ id: deciding?.request.id ?? '', ...words })}
      done={(decided) => (suspendedOf(decided) ? null : t(`${decision}.done`, { name }))}
      onDone={notifySuspended}
    >
      {deciding && <RequestFacts {...deciding} />}
    </FormDrawer>
  );
};

/** The consequence of the decision, in words. */
const Follows = ({ request, decision }: Deciding) => {
  const t = useTranslations('flags.request');
  if (request.plan) return t(decision === 'approve' ? 'approve.cancels' : 'stays');
  return decision === 'approve' && request.at ? t('approve.scheduled') : t(`${decision}.follows`);
};

const RequestFacts = ({ request, decision }: Deciding) => {
  const t = useTranslations('flags.request');
  const tWord = useTranslations('words');
  const { absolute } = useFormat();
  return (
    <Stack gap="sm">
      <Facts
        facts={[
          { label: tWord('request'), value: t(`kind.${requestKind(request)}`) },
          request.plan ? null : { label: tWord('now'), value: <KeyText max={60}>{request.from}</KeyText> },
          request.plan ? null : { label: t('fact.to'), value: <KeyText max={60}>{request.to}</KeyText> },
          request.at ? { label: tWord('when'), value: absolute(epochOf(request.at)) } : null,
          { label: t('fact.by'), value: <HostileText max={120}>{request.by}</HostileText> },
          { label: tWord('reason'), value: <HostileText max={500}>{request.reason}</HostileText> },
        ]}
      />
      <span>
        <Follows request={request} decision={decision} />
      </span>
    </Stack>
  );
};
