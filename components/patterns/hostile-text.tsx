'use client';

import { useTranslations } from 'next-intl';
import { visiblePieces } from '@/lib/visible-text';
import classes from './text.module.css';

interface HostileTextProps {
  /** A key, value, name or message from outside. */
  children: string | null | undefined;
  /** Characters shown before the rest is cut. */
  max?: number;
}

/** Text from outside: control characters are visible, bidi is isolated, long text is cut with a count. */
export const HostileText = ({ children, max = 200 }: HostileTextProps) => {
  const t = useTranslations('patterns');
  if (children === null || children === undefined) return <span>—</span>;
  if (children === '') return <span className={classes.quiet}>{t('emptyText')}</span>;
  const { pieces, cut } = visiblePieces(children, max);
  return (
    <bdi className={classes.text}>
      {pieces.map((piece, i) =>
        piece.escaped ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text have no other identity
          <span key={i} className={classes.escaped} title={t('controlCharacter')}>
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
      {cut > 0 && <span className={classes.quiet}>… {t('cutCharacters', { count: cut })}</span>}
    </bdi>
  );
};

/** The same for a key or pattern, in the monospace font. */
export const KeyText = ({ children, max = 120 }: HostileTextProps) => (
  <code className={classes.key}>
    <HostileText max={max}>{children}</HostileText>
  </code>
);
