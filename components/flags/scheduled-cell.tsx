'use client';

import { Badge, Group, Tooltip } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useFormat } from '@/components/patterns/use-format';
import type { Flag, ScheduledChange } from '@/lib/flags/schema';
import { epochOf } from '@/lib/format';
import { visibleText } from '@/lib/visible-text';
import { DueTime } from './due-time';
import { type Decision, type NamedRequest, RequestLine } from './request-line';

interface ScheduleBadgesProps {
  flag: Flag;
  onSchedule: (flag: Flag) => void;
}

/** The next planned change counting down, how many follow, and whether some were suspended. */
const ScheduleBadges = ({ flag, onSchedule }: ScheduleBadgesProps) => {
  const t = useTranslations('flags.schedule');
  const { absolute } = useFormat();
  const waiting = flag.schedule.filter(({ state }) => state === 'waiting');
  const suspended = flag.schedule.length - waiting.length;
  const [next, ...later] = waiting;
  const name = visibleText(flag.name, 80);
  const said = ({ enabled, at, by, reason }: ScheduledChange) =>
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
        <Tooltip label={said(next)} multiline maw={320}>
          <Badge
            component="button"
            type="button"
            color="indigo"
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

/** What is to come for a flag: planned changes, and what somebody asks for. */
export const ScheduledCell = ({ flag, onSchedule, onDecide }: ScheduledCellProps) => (
  <>
    <ScheduleBadges flag={flag} onSchedule={onSchedule} />
    {flag.request && <RequestLine request={{ ...flag.request, name: flag.name }} onDecide={onDecide} />}
  </>
);
