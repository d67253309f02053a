'use client';

import { useTranslations } from 'next-intl';
import { type TextPiece, type VisibleText, visiblePieces } from '@/lib/visible-text';
import classes from './text.module.css';

interface HostileTextProps {
  /** A key, value, name or message from outside. */
  children: string | null | undefined;
  /** Number of characters before the rest is cut. */
  max?: number;
}

/** Text from outside: control characters are visible, bidi is isolated, long text is cut with a count. */
export const HostileText = ({ children, max = 200 }: HostileTextProps) => {
  if (children === null || children === undefined) return <span>—</span>;
  const visible = visiblePieces(children, max);
  const [first] = visible.pieces;
  // Translating costs more than rendering, and most texts in a list need no explanation.
  if (visible.pieces.length !== 1 || first!.escaped || visible.cut > 0) return <MarkedText {...visible} />;
  return <bdi className={classes.text}>{first!.text}</bdi>;
};

const Pieces = ({ of }: { of: TextPiece[] }) => {
  const t = useTranslations('patterns');
  return of.map((piece, i) =>
    piece.escaped ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text have no other identity
      <span key={i} className={classes.escaped} title={t('controlCharacter')}>
        {piece.text}
      </span>
    ) : (
      piece.text
    ),
  );
};

const MarkedText = ({ pieces, cut, end }: VisibleText) => {
  const t = useTranslations('patterns');
  if (pieces.length === 0) return <span className={classes.quiet}>{t('emptyText')}</span>;
  return (
    <bdi className={classes.text}>
      <Pieces of={pieces} />
      {cut > 0 && <span className={classes.quiet}>… {t('cutCharacters', { count: cut })}</span>}
      {end.length > 0 && <span className={classes.quiet}> …</span>}
      <Pieces of={end} />
    </bdi>
  );
};

/** The same for a key or pattern, in the monospace font. */
export const KeyText = ({ children, max = 120 }: HostileTextProps) => (
  <code className={classes.key}>
    <HostileText max={max}>{children}</HostileText>
  </code>
);
