'use client';

import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { KeyText } from '@/components/patterns/hostile-text';
import { Panel } from '@/components/patterns/panel';
import type { ViewDrift } from '@/lib/views/schema';
import classes from './views.module.css';

interface DriftPanelProps {
  drift: readonly ViewDrift[];
  /** False before the first pass: nothing is known yet. */
  counted: boolean;
}

/** Where counters, imports and the slug map disagree. */
export const DriftPanel = ({ drift, counted }: DriftPanelProps) => {
  const t = useTranslations('views.drift');
  return (
    <Panel title={t('title')} note={t('note')}>
      {drift.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t(counted ? 'none' : 'notCounted')}
        </Text>
      ) : (
        <ul className={classes.drift} aria-label={t('title')}>
          {drift.map((row) => (
            <li key={`${row.what} ${row.detail}`}>
              <Drift drift={row} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
};

const Drift = ({ drift: { what, count, sample } }: { drift: ViewDrift }) => {
  const t = useTranslations('views.drift');
  const tWord = useTranslations('words');
  return (
    <>
      <Text size="sm" fw={600}>
        {t(`${what}.title`, { count })}
      </Text>
      <Text size="sm" c="dimmed">
        {t(`${what}.means`)}
      </Text>
      {sample.length > 0 && (
        <div className={classes.samples}>
          {[...new Set(sample)].map((key) => (
            <KeyText key={key} max={60}>
              {key}
            </KeyText>
          ))}
          {count > sample.length && (
            <Text span size="xs" c="dimmed">
              {tWord('andMore', { count: count - sample.length })}
            </Text>
          )}
        </div>
      )}
    </>
  );
};
