'use client';

import { VisuallyHidden } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { differingPart, diffLines, type LineDiff, linesOf } from './diff-lines';
import { SmallNote } from './dimmed';
import { HostileText } from './hostile-text';
import { LineEnd } from './line-end';
import { MultilineText } from './multiline-text';
import { Strong } from './strong';
import texts from './text.module.css';
import { useFormat } from './use-format';
import classes from './value-diff.module.css';

/** One side of the diff; text is null if hidden. */
interface Side {
  text: string | null;
  lengthBytes: number;
}

interface ValueDiffProps {
  before: Side;
  after: Side;
  /** A secret: both sides are shown as dots. */
  masked: boolean;
}

const CONTEXT = 2;
const MAX_LINES = 300;
const SIGN: Record<LineDiff['kind'], string> = { gone: '−', new: '+', same: '' };

interface MarkedLine extends LineDiff {
  /** Range that differs from the line it replaces or is replaced by. */
  mark?: [from: number, to: number];
}

type Shown = MarkedLine | { kind: 'cut'; count: number };

/** Where one line replaces one line and they share a part, marks the differing part. */
const withMarks = (diff: readonly LineDiff[]): MarkedLine[] => {
  const marked: MarkedLine[] = diff.map((line) => ({ ...line }));
  diff.forEach((line, i) => {
    const next = diff[i + 1];
    const isSingle = diff[i - 1]?.kind !== 'gone' && diff[i + 2]?.kind !== 'new';
    if (line.kind !== 'gone' || next?.kind !== 'new' || !isSingle) return;
    const { from, beforeTo, afterTo } = differingPart(line.text, next.text);
    if (from === 0 && beforeTo === line.text.length) return;
    marked[i]!.mark = [from, beforeTo];
    marked[i + 1]!.mark = [from, afterTo];
  });
  return marked;
};

/** Shows unchanged lines only near changes, and counts the rest. */
const withContext = (diff: readonly MarkedLine[]): Shown[] => {
  const near = diff.map((_, i) =>
    diff.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some(({ kind }) => kind !== 'same'),
  );
  const shown: Shown[] = [];
  diff.forEach((line, i) => {
    const last = shown.at(-1);
    if (near[i]) shown.push(line);
    else if (last?.kind === 'cut') last.count++;
    else shown.push({ kind: 'cut', count: 1 });
  });
  return shown;
};

const MAX_CHARACTERS = 4000;

const Piece = ({ text }: { text: string }) =>
  text === '' ? null : <HostileText max={MAX_CHARACTERS}>{text}</HostileText>;

const Marked = ({ text, mark: [from, to] }: { text: string; mark: [number, number] }) => {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  const until = Math.min(to, end);
  return (
    <span className={texts.lines}>
      <Piece text={text.slice(0, from)} />
      {from < until && (
        <mark>
          <Piece text={text.slice(from, until)} />
        </mark>
      )}
      <Piece text={text.slice(until, end)} />
      {end < text.length && <LineEnd />}
    </span>
  );
};

const FullLine = ({ text }: { text: string }) =>
  text === '' ? (
    <HostileText>{text}</HostileText>
  ) : (
    <MultilineText max={MAX_CHARACTERS}>{text}</MultilineText>
  );

const Line = ({ kind, text, mark }: MarkedLine) => {
  const t = useTranslations('patterns.diff');
  return (
    <div className={classes.diffLine} data-kind={kind}>
      <span aria-hidden>{SIGN[kind]}</span>
      <span>
        {kind !== 'same' && <VisuallyHidden>{t(kind)} </VisuallyHidden>}
        {mark ? <Marked text={text} mark={mark} /> : <FullLine text={text} />}
      </span>
    </div>
  );
};

const HiddenSide = ({ kind, side, masked }: { kind: 'gone' | 'new'; side: Side; masked: boolean }) => {
  const t = useTranslations('patterns.diff');
  const { bytes } = useFormat();
  return (
    <div className={classes.diffLine} data-kind={kind}>
      <span aria-hidden>{SIGN[kind]}</span>
      <span>
        <VisuallyHidden>{t(kind)} </VisuallyHidden>
        {t(masked ? 'masked' : 'large', { size: bytes(side.lengthBytes) })}
      </span>
    </div>
  );
};

/** Line diff between the stored value and the value to be saved. */
export const ValueDiff = ({ before, after, masked }: ValueDiffProps) => {
  const t = useTranslations('patterns.diff');
  const [old, next] = [masked ? null : before.text, masked ? null : after.text];
  const bothShown = old !== null && next !== null;
  const lines =
    bothShown &&
    withContext(withMarks(diffLines(old === '' ? [''] : linesOf(old), next === '' ? [''] : linesOf(next))));
  return (
    <section aria-label={t('label')}>
      <Strong mb={4}>{t('label')}</Strong>
      <div className={classes.diff}>
        {lines ? (
          lines.slice(0, MAX_LINES).map((line, i) =>
            line.kind === 'cut' ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text have no other identity
              <div key={i} className={classes.diffLine}>
                <span aria-hidden>⋯</span>
                <SmallNote>{t('unchanged', { count: line.count })}</SmallNote>
              </div>
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text have no other identity
              <Line key={i} {...line} />
            ),
          )
        ) : (
          <>
            {old === null ? (
              <HiddenSide kind="gone" side={before} masked={masked} />
            ) : (
              <Line kind="gone" text={old} />
            )}
            {next === null ? (
              <HiddenSide kind="new" side={after} masked={masked} />
            ) : (
              <Line kind="new" text={next} />
            )}
          </>
        )}
      </div>
    </section>
  );
};
