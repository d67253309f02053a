'use client';

import { Button } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { usePreferences } from '@/components/patterns/preferences';
import { useViewer } from '@/components/patterns/viewer';
import classes from './navigation.module.css';
import { entriesFor, PINS } from './pages';

/** Which entries are in the menu; the others are under "More". */
export const MenuEditor = ({ connection }: { connection: ConnectionFacts | null }) => {
  const t = useTranslations('shell.menu');
  const label = useTranslations();
  const { role } = useViewer();
  const { preferences, change } = usePreferences();
  const { pins } = preferences;
  const onPins = (next: string[] | null) => change({ pins: next });
  // Other connections may have entries that this one lacks: they stay chosen.
  const chosen: readonly string[] = pins ?? PINS[role];
  return (
    <fieldset className={classes.editor}>
      <legend>{t('note')}</legend>
      {entriesFor(role, connection, null).map(({ id, icon: Icon, ...entry }) => (
        <label key={id} className={classes.link}>
          <Icon size={17} stroke={1.6} aria-hidden />
          <span>{label(entry.label)}</span>
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={({ currentTarget: { checked } }) =>
              onPins(checked ? [...chosen, id] : chosen.filter((pin) => pin !== id))
            }
          />
        </label>
      ))}
      <Button variant="subtle" size="compact-sm" disabled={pins === null} onClick={() => onPins(null)}>
        {t('reset')}
      </Button>
    </fieldset>
  );
};
