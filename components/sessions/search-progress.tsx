'use client';

import { Button, Progress, Text, VisuallyHidden } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconPlayerStop,
  IconPlugConnectedX,
  IconRefresh,
} from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';
import { Strong } from '@/components/patterns/strong';
import { useFormat } from '@/components/patterns/use-format';
import { wholeOf } from '@/components/patterns/whole';
import classes from './search-progress.module.css';
import { MAX_MATCHES, type Search, type SessionSearch } from './use-session-search';

/** A search is announced when it begins, at each of these parts of it, and when it ends. */
const ANNOUNCED_PARTS = 4;

type Stage = 'waiting' | 'searching' | 'lost' | 'complete' | 'limit' | 'cancelled';

const stageOf = ({ search, searching, lost }: SessionSearch): Stage => {
  if (searching) return search.waiting ? 'waiting' : 'searching';
  return lost ? 'lost' : (search.end ?? 'searching');
};

const shareOf = ({ progress }: Search): number =>
  progress && progress.examined > 0 ? progress.examined / wholeOf(progress.examined, progress.keys) : 0;

const ICONS = {
  complete: <IconCircleCheck size={18} color="var(--kw-good)" aria-hidden />,
  limit: <IconAlertTriangle size={18} color="var(--kw-warn)" aria-hidden />,
  cancelled: <IconPlayerStop size={18} color="var(--kw-warn)" aria-hidden />,
  lost: <IconPlugConnectedX size={18} color="var(--kw-warn)" aria-hidden />,
};

/** The progress of a search, or how it ended and whether it was complete, with its actions. */
export const SearchProgress = ({ found, children }: { found: SessionSearch; children: ReactNode }) => {
  const t = useTranslations('sessions.search');
  const stage = stageOf(found);
  const sentence = useSentence(found, stage);
  const figures = useFigures(found.search);
  return (
    <section className={classes.box} data-end={stage} aria-label={t('label')}>
      <div className={classes.line}>
        {stage !== 'searching' && stage !== 'waiting' && ICONS[stage]}
        <div>
          <Strong span data-testid="search-state">
            {sentence}
          </Strong>{' '}
          {stage === 'searching' && (
            <Text span inherit c="dimmed">
              {figures}
            </Text>
          )}
          {stage === 'lost' && found.lost && (
            <Text span inherit c="dimmed">
              {found.lost.message}
            </Text>
          )}
        </div>
      </div>
      {stage === 'searching' && (
        <Progress
          className={classes.bar}
          value={shareOf(found.search) * 100}
          aria-label={t('progress')}
          animated
          size="sm"
        />
      )}
      <div className={classes.actions}>
        {stage === 'searching' || stage === 'waiting' ? (
          <Button size="xs" variant="default" onClick={found.cancel}>
            {t('cancel')}
          </Button>
        ) : (
          <>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconRefresh size={14} aria-hidden />}
              onClick={found.again}
            >
              {t(stage === 'lost' ? 'goOn' : 'again')}
            </Button>
            {children}
          </>
        )}
      </div>
      <Announcement
        part={stage === 'searching' ? Math.floor(shareOf(found.search) * ANNOUNCED_PARTS) : stage}
        text={stage === 'searching' ? `${sentence} ${figures}` : sentence}
      />
    </section>
  );
};

/** Announces the text each time `part` changes, since the figures change many times a second. */
const Announcement = ({ part, text }: { part: Stage | number; text: string }) => {
  const [spoken, setSpoken] = useState({ part, text });
  // After the end the text changes only when matches are revoked, which is announced.
  const current = typeof part === 'number' && spoken.part === part ? spoken : { part, text };
  if (current.text !== spoken.text || current.part !== spoken.part) setSpoken(current);
  return <VisuallyHidden role="status">{current.text}</VisuallyHidden>;
};

const useSentence = ({ search }: SessionSearch, stage: Stage): string => {
  const t = useTranslations('sessions.search');
  const format = useFormat();
  const values = {
    matches: search.matches.length,
    share: Math.floor(shareOf(search) * 100) / 100,
    keys: search.progress?.keys ?? 0,
    took: search.tookMs < 60_000 ? format.ms(search.tookMs) : format.duration(search.tookMs / 1000),
    most: MAX_MATCHES,
  };
  return t(stage, values);
};

/** "2,310 of 5,793 keys · 15,441/s · about 3 s left" */
const useFigures = ({ progress }: Search): string => {
  const t = useTranslations('sessions.search');
  const format = useFormat();
  if (!progress) return '';
  const { examined, ratePerSecond } = progress;
  const keys = wholeOf(examined, progress.keys);
  const parts = [t('examined', { examined, keys })];
  if (examined > 0 && ratePerSecond > 0) {
    parts.push(t('rate', { rate: format.perSecond(ratePerSecond) }));
    parts.push(t('left', { time: format.duration(Math.max(1, (keys - examined) / ratePerSecond)) }));
  }
  return parts.join(' · ');
};
