'use client';

import { useTranslations } from 'next-intl';
import { HostileText } from './hostile-text';
import { LineEnd } from './line-end';
import classes from './text.module.css';

interface WholeTextProps {
  children: string;
  /** Number of lines before the rest is cut. */
  maxLines?: number;
  /** Number of characters per line before the rest is cut. */
  max?: number;
}

/** A multi-line value with visible line breaks, so a missing or extra one can be seen. */
export const MultilineText = ({ children, maxLines = 12, max = 2000 }: WholeTextProps) => {
  const t = useTranslations('patterns');
  if (children === '') return <HostileText>{children}</HostileText>;
  const lines = children.split('\n');
  // A final line break does not begin another line.
  const ends = lines.at(-1) === '';
  const shown = (ends ? lines.slice(0, -1) : lines).slice(0, maxLines);
  const left = lines.length - (ends ? 1 : 0) - shown.length;
  return (
    <span className={classes.lines}>
      {shown.map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text have no other identity
        <span key={i} className={classes.line}>
          {line !== '' && <HostileText max={max}>{line}</HostileText>}
          {(i < lines.length - 1 || left > 0) && <LineEnd />}
        </span>
      ))}
      {left > 0 && <span className={classes.quiet}>{t('moreLines', { count: left })}</span>}
    </span>
  );
};
