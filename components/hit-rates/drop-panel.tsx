'use client';

import { Alert, Button, CloseButton, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useEffect, useRef } from 'react';
import type { StyleOf } from '@/components/charts/family-styles';
import type { TimeRange } from '@/components/charts/time-drag';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Panel } from '@/components/patterns/panel';
import { TimeRangeFields } from '@/components/patterns/time-range-fields';
import { Unanswered } from '@/components/patterns/unanswered';
import { useFormat } from '@/components/patterns/use-format';
import type { HitRateChange } from '@/lib/hit-rates/schema';
import { DropAnswerText } from './drop-answer-text';
import { DropTable } from './drop-table';
import { DropTimeline } from './drop-timeline';
import classes from './hit-rates.module.css';
import { hitRateQueries } from './queries';

interface DropPanelProps {
  /** The range that is compared with the one before it; null until one is chosen. */
  range: TimeRange | null;
  /** What the charts show: without dragging, its second half is offered. */
  shown: TimeRange | null;
  onRange: (range: TimeRange | null) => void;
  styleOf: StyleOf;
  onOpen: (family: string) => void;
}

/** Which families caused a drop, since when, and what happened then. */
export const DropPanel = ({ range, shown, onRange, styleOf, onOpen }: DropPanelProps) => {
  const t = useTranslations('hitRates.drop');
  const tWord = useTranslations('words');
  if (!range)
    return (
      <Group className={classes.panel} gap="sm">
        <Button
          size="xs"
          variant="default"
          disabled={!shown}
          onClick={() => shown && onRange({ from: (shown.from + shown.to) / 2, to: shown.to })}
        >
          {t('start')}
        </Button>
        <Dimmed>{t('hint')}</Dimmed>
      </Group>
    );
  return (
    <Panel
      title={tWord('whatChanged')}
      className={classes.panel}
      note={
        <Group gap="xs">
          <TimeRangeFields
            from={new Date(range.from).toISOString()}
            to={new Date(range.to).toISOString()}
            onChange={(from, to) => onRange({ from: Date.parse(from), to: Date.parse(to) })}
          />
          <CloseButton aria-label={t('close')} onClick={() => onRange(null)} />
        </Group>
      }
    >
      <Comparison range={range} styleOf={styleOf} onOpen={onOpen} />
    </Panel>
  );
};

const Comparison = ({
  range,
  ...props
}: Pick<DropPanelProps, 'styleOf' | 'onOpen'> & { range: TimeRange }) => {
  const { id } = useConnection();
  const query = useQuery(hitRateQueries.change(id, range.from, range.to));
  const { data, error } = query;
  const answered = data !== undefined;
  // Dragging over the lower chart opens this above it, perhaps outside the window.
  const top = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each range, when its answer has arrived
  useEffect(() => {
    top.current?.scrollIntoView({ block: 'nearest' });
  }, [range.from, range.to, answered]);
  if (error || !data) return <Unanswered query={query} height={220} radius="md" />;
  return (
    <Stack gap="sm" data-testid="drop" ref={top}>
      <DropAnswerText change={data} />
      <WholeServer change={data} />
      <div className={classes.drop}>
        <DropTable change={data} {...props} />
        <DropTimeline change={data} onOpen={props.onOpen} />
      </div>
      <Remainder change={data} />
    </Stack>
  );
};

/** The whole server before and now: known even where no window was open. */
const WholeServer = ({ change: { instance, before, now } }: { change: HitRateChange }) => {
  const t = useTranslations('hitRates.drop');
  const tWord = useTranslations('words');
  const format = useFormat();
  const range = ({ from, to }: { from: string; to: string }) =>
    tWord('fromTo', { from: format.absolute(Date.parse(from)), to: format.absolute(Date.parse(to)) });
  if (instance.before.hitRate === null || instance.now.hitRate === null)
    return <Dimmed>{t('serverUnknown')}</Dimmed>;
  const more = instance.additionalMissesPerSecond;
  return (
    <Dimmed>
      {t('server', {
        before: format.ratio(instance.before.hitRate),
        now: format.ratio(instance.now.hitRate),
        change: more !== null && more < 0 ? 'fewer' : 'more',
        misses: format.perSecond(more && Math.abs(more)),
      })}{' '}
      <span title={`${range(before)} → ${range(now)}`}>{t('compared')}</span>
    </Dimmed>
  );
};

/** What the ranking leaves out. */
const Remainder = ({ change: { tooFew, notAttributed } }: { change: HitRateChange }) => {
  const t = useTranslations('hitRates.drop');
  const format = useFormat();
  const { share } = notAttributed;
  if (tooFew.length === 0 && !share) return null;
  return (
    <Alert color="gray">
      {tooFew.length > 0 && (
        <Text size="sm">
          {t('tooFew', { count: tooFew.length, families: format.list(tooFew.map(({ title }) => title)) })}
        </Text>
      )}
      {share !== null && share > 0 && (
        <Text size="sm">{t('notAttributed', { share: format.ratio(share) })}</Text>
      )}
    </Alert>
  );
};
