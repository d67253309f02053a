'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { HostileText } from '@/components/patterns/hostile-text';
import { LineEnd } from '@/components/patterns/line-end';
import classes from './inspector.module.css';
import { textRows } from './text-rows';
import { VirtualRows } from './virtual-rows';

/** A text with numbered lines; line breaks and invisible characters are visible. */
export const TextView = ({ text }: { text: string }) => {
  const t = useTranslations('keys.inspector.value');
  const rows = useMemo(() => textRows(text), [text]);
  return (
    <VirtualRows
      label={t('form.text')}
      count={rows.length}
      estimate={20}
      row={(index) => {
        const row = rows[index];
        if (!row) return null;
        return (
          <div className={classes.textRow}>
            <span className={classes.gutter} aria-hidden>
              {row.line}
            </span>
            <span className={classes.text}>
              {(row.text !== '' || rows.length === 1) && (
                <HostileText max={row.text.length}>{row.text}</HostileText>
              )}
              {row.ends && <LineEnd />}
            </span>
          </div>
        );
      }}
    />
  );
};
