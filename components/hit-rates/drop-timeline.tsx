'use client';

import { Anchor, Text, Title } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import { ServerSentence } from '@/components/patterns/server-sentence';
import { TextLink } from '@/components/patterns/text-link';
import { useFormat } from '@/components/patterns/use-format';
import { useMay } from '@/components/patterns/viewer';
import type { HistoryEvent } from '@/lib/history/schema';
import type { HitRateChange } from '@/lib/hit-rates/schema';
import { useRangeTime } from './drop-answer-text';
import classes from './hit-rates.module.css';

/** More are in the audit log, and as lines on the charts. */
const MAX_EVENTS = 20;

interface DropTimelineProps {
  change: HitRateChange;
  onOpen: (family: string) => void;
}

/** What happened in both periods, the latest first. */
export const DropTimeline = ({ change, onOpen }: DropTimelineProps) => {
  const t = useTranslations('hitRates.drop');
  const timeOf = useRangeTime(change);
  const events = change.events.toReversed();
  return (
    <section className={classes.timeline} aria-label={t('timeline')}>
      <Title order={3} size="h5">
        {t('timeline')}
      </Title>
      {events.length === 0 && <Dimmed>{t('noEvents')}</Dimmed>}
      <ol>
        {events.slice(0, MAX_EVENTS).map((event) => (
          <li
            key={`${event.at} ${event.kind} ${event.text}`}
            data-before={event.at < change.now.from || undefined}
          >
            <Entry event={event} time={timeOf(event.at)} onOpen={onOpen} />
          </li>
        ))}
      </ol>
      {events.length > MAX_EVENTS && (
        <Dimmed size="xs">{t('moreEvents', { count: events.length - MAX_EVENTS })}</Dimmed>
      )}
    </section>
  );
};

const Entry = ({
  event,
  time,
  onOpen,
}: { event: HistoryEvent; time: string } & Pick<DropTimelineProps, 'onOpen'>) => {
  const t = useTranslations('hitRates.drop');
  const tWord = useTranslations('words');
  const format = useFormat();
  const mayAudit = useMay('audit:view');
  const { at, kind, text, auditId, href, family } = event;
  return (
    <>
      <time dateTime={at} title={format.absolute(Date.parse(at))}>
        {time}
      </time>
      <Text size="sm" component="span">
        <strong>{t(`kind.${kind}`)}</strong> <ServerSentence max={120}>{text}</ServerSentence>{' '}
        {family && (
          <Anchor component="button" size="sm" onClick={() => onOpen(family)}>
            {tWord('family')}
          </Anchor>
        )}{' '}
        {auditId && mayAudit && (
          <TextLink href={`/audit?entry=${encodeURIComponent(auditId)}`}>{tWord('auditEntry')}</TextLink>
        )}{' '}
        {href && (
          <Anchor size="sm" href={href} target="_blank" rel="noopener noreferrer">
            {t('link')}
          </Anchor>
        )}
      </Text>
    </>
  );
};
