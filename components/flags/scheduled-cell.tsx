'use client';

import { Badge, Group } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useContext } from 'react';
import { InCard } from '@/components/data-table/in-card';
import { Tooltip } from '@/components/patterns/tooltip';
import { useFormat } from '@/components/patterns/use-format';
import type { Flag, ScheduledChange } from '@/lib/flags/schema';
import { epochOf } from '@/lib/format';
import { visibleText } from '@/lib/visible-text';
import { DueTime } from './due-time';
import { type Decision, type NamedRequest, RequestBadge, RequestLine } from './request-line';

interface ScheduleBadgesProps {
  flag: Flag;
  onSchedule: (flag: Flag) => void;
}

/** The next scheduled change with a countdown, and the numbers of later and suspended ones. */
const ScheduleBadges = ({ flag, onSchedule }: ScheduleBadgesProps) => {
  const t = useTranslations('flags.schedule');
  const { absolute } = useFormat();
  const waiting = flag.schedule.filter(({ state }) => state === 'waiting');
  const suspended = flag.schedule.length - waiting.length;
  const [next, ...later] = waiting;
  const name = visibleText(flag.name, 80);
  const summary = ({ enabled, at, by, reason }: ScheduledChange) =>
    [
      t(enabled ? 'on' : 'off'),
      absolute(epochOf(at)),
      visibleText(by, 80),
      reason && visibleText(reason, 120),
    ]
      .filter(Boolean)
      .join(' · ');
  if (flag.schedule.length === 0) return null;
  return (
    <Group gap={6}>
      {next && (
        <Tooltip label={summary(next)} multiline maw={320}>
          <Badge
            component="button"
            type="button"
            color="gray"
            style={{ cursor: 'pointer' }}
            onClick={() => onSchedule(flag)}
          >
            {t(next.enabled ? 'on' : 'off')} <DueTime at={next.at} />
            {later.length > 0 && <> {t('more', { count: later.length })}</>}
          </Badge>
        </Tooltip>
      )}
      {suspended > 0 && (
        <Tooltip label={t('suspendedHint')} multiline maw={280}>
          <Badge
            component="button"
            type="button"
            aria-label={t('suspendedOf', { name, count: suspended })}
            color="orange"
            style={{ cursor: 'pointer' }}
            onClick={() => onSchedule(flag)}
          >
            {t('suspendedCount', { count: suspended })}
          </Badge>
        </Tooltip>
      )}
    </Group>
  );
};

interface ScheduledCellProps extends ScheduleBadgesProps {
  onDecide: (decision: Decision, request: NamedRequest) => void;
}

/** A flag's scheduled changes and its open request. In a card only the request's badge: the panel above has the rest. */
export const ScheduledCell = ({ flag, onSchedule, onDecide }: ScheduledCellProps) => {
  const inCard = useContext(InCard);
  const { request } = flag;
  return (
    <>
      <ScheduleBadges flag={flag} onSchedule={onSchedule} />
      {request &&
        (inCard ? (
          <RequestBadge request={request} />
        ) : (
          <RequestLine request={{ ...request, name: flag.name }} onDecide={onDecide} />
        ))}
    </>
  );
};
