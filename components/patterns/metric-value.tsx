'use client';

import { Badge } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { MetricProblem } from '@/lib/metrics/schema';
import { HostileText } from './hostile-text';
import classes from './metric-value.module.css';
import { Tooltip } from './tooltip';
import { useFormat } from './use-format';

/** Applications' figures may be fractions. */
const DIGITS = 3;
/** Maximum characters of a value that is not a number. */
const MAX_TEXT = 40;

export interface ShownFigure {
  value: number | null;
  text: string | null;
  problem: MetricProblem | null;
}

/** Formats an application's figures. */
export const useMetricNumber = () => {
  const format = useFormat();
  return (value: number | `${number}` | null | undefined) => format.number(value, DIGITS);
};

/** Why there is no figure, in a few words. */
export const MetricProblemBadge = ({ problem }: { problem: MetricProblem }) => {
  const t = useTranslations('patterns.metric');
  return (
    <Tooltip label={t(`means.${problem}`)} multiline w={280}>
      <Badge color={problem === 'gone' || problem === 'secret' ? 'gray' : 'orange'} flex="none">
        {t(`problem.${problem}`)}
      </Badge>
    </Tooltip>
  );
};

/** An application's figure: its number, or the stored text with a badge. */
export const MetricValue = ({ figure: { value, text, problem } }: { figure: ShownFigure }) => {
  const write = useMetricNumber();
  if (problem === null)
    return <span style={{ whiteSpace: 'nowrap' }}>{write((text as `${number}` | null) ?? value)}</span>;
  return (
    <span className={classes.instead}>
      {text !== null && <HostileText max={MAX_TEXT}>{text}</HostileText>}
      <MetricProblemBadge problem={problem} />
    </span>
  );
};
