'use client';

import { Badge, Button, Group, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import { ServerSentence } from '@/components/patterns/server-sentence';
import { Strong } from '@/components/patterns/strong';
import { useFormat } from '@/components/patterns/use-format';
import type { FlagRequest } from '@/lib/flags/schema';
import { epochOf } from '@/lib/format';
import { visibleText } from '@/lib/visible-text';
import classes from './flags.module.css';
import { useObstacle } from './policy';

/** A request and its flag's name. The flag may not exist yet. */
export interface NamedRequest extends FlagRequest {
  name: string;
}

export type Decision = 'approve' | 'decline' | 'withdraw';

/** Message key for what the request does. */
export const requestKind = ({
  action,
  enabled,
}: FlagRequest): 'on' | 'off' | 'createOn' | 'createOff' | 'delete' | 'cancelOn' | 'cancelOff' => {
  if (action === 'delete') return 'delete';
  if (action === 'unschedule') return enabled ? 'cancelOn' : 'cancelOff';
  if (action === 'create') return enabled ? 'createOn' : 'createOff';
  return enabled ? 'on' : 'off';
};

const Difference = ({ from, to }: FlagRequest) => {
  const t = useTranslations('flags.request');
  return (
    <Group gap={6} wrap="nowrap">
      {from === null ? <span>{t('none')}</span> : <KeyText max={40}>{from}</KeyText>}
      <span role="img" aria-label={t('to')}>
        →
      </span>
      {to === null ? <span>{t('none')}</span> : <KeyText max={40}>{to}</KeyText>}
    </Group>
  );
};

export const RequestBadge = ({ request }: { request: FlagRequest }) => {
  const t = useTranslations('flags.request');
  const suspended = request.state === 'suspended';
  return <Badge color={suspended ? 'orange' : 'indigo'}>{t(suspended ? 'suspended' : 'waiting')}</Badge>;
};

interface RequestLineProps {
  request: NamedRequest;
  onDecide: (decision: Decision, request: NamedRequest) => void;
}

/** Approve and decline for approvers, withdraw for the requester. */
const Decisions = ({ request, onDecide }: RequestLineProps) => {
  const t = useTranslations('flags.request');
  if (useObstacle() !== null) return null;
  const name = visibleText(request.name, 80);
  const button = (decision: Decision, variant: 'filled' | 'default') => (
    <Button
      size="compact-sm"
      variant={variant}
      aria-label={t(`${decision}.of`, { name })}
      onClick={() => onDecide(decision, request)}
    >
      {t(`${decision}.button`)}
    </Button>
  );
  if (!request.mayDecide) return button('withdraw', 'default');
  return (
    <Group gap={6}>
      {request.state === 'pending' && button('approve', 'filled')}
      {button('decline', 'default')}
    </Group>
  );
};

/** An open request with the buttons the viewer may use. */
export const RequestLine = ({ request, onDecide }: RequestLineProps) => {
  const t = useTranslations('flags.request');
  const { absolute } = useFormat();
  const suspended = request.state === 'suspended';
  return (
    <>
      <Group gap={8} mb={4}>
        <RequestBadge request={request} />
        <Strong span>{t(`kind.${requestKind(request)}`)}</Strong>
        {!request.plan && <Difference {...request} />}
      </Group>
      {request.at && (
        <Text size="sm">
          {t(request.plan ? 'scheduledFor' : 'happensAt', { at: absolute(epochOf(request.at)) })}
        </Text>
      )}
      <Text size="sm" component="div">
        {t.rich('requestedBy', {
          who: () => <HostileText max={80}>{request.by}</HostileText>,
          when: () => <RelativeTime at={request.requestedAt} />,
        })}
      </Text>
      {request.reason && (
        <Dimmed size="xs" component="div">
          <HostileText max={300}>{request.reason}</HostileText>
        </Dimmed>
      )}
      {suspended && (
        <Text size="xs" component="div" style={{ color: 'var(--kw-warn-text)' }}>
          <ServerSentence max={300}>{request.why}</ServerSentence>
        </Text>
      )}
      <Group gap={6} mt={6} className={classes.decisions}>
        <Decisions request={request} onDecide={onDecide} />
      </Group>
    </>
  );
};
