'use client';

import { Group } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Dimmed, SmallNote } from '@/components/patterns/dimmed';
import { KeyText } from '@/components/patterns/hostile-text';
import { Panel } from '@/components/patterns/panel';
import { Strong } from '@/components/patterns/strong';
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
        <Dimmed>{t(counted ? 'none' : 'notCounted')}</Dimmed>
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
      <Strong>{t(`${what}.title`, { count })}</Strong>
      <Dimmed>{t(`${what}.means`)}</Dimmed>
      {sample.length > 0 && (
        <Group gap="4px 6px" mt={4}>
          {[...new Set(sample)].map((key) => (
            <KeyText key={key} max={60}>
              {key}
            </KeyText>
          ))}
          {count > sample.length && (
            <SmallNote>{tWord('andMore', { count: count - sample.length })}</SmallNote>
          )}
        </Group>
      )}
    </>
  );
};
