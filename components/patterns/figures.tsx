'use client';

import { useFormat } from './use-format';
import { useMicros } from './use-micros';

type Figure = { value: number | null | undefined };

/** Figures in the reader's locale; unknown is "—". Right-align the cell that holds one. */
/** Text: the digits of a count that a number would round. */
export const Count = ({ value }: { value: Figure['value'] | string }) => (
  <span>{useFormat().count(value)}</span>
);

export const Bytes = ({ value }: Figure) => {
  const format = useFormat();
  const exact = value === null || value === undefined ? undefined : `${format.count(value)} B`;
  return <span title={exact}>{format.bytes(value)}</span>;
};

/** A rate of 0–1. */
export const Rate = ({ value }: Figure) => <span>{useFormat().ratio(value)}</span>;

export const PerSecond = ({ value }: Figure) => <span>{useFormat().perSecond(value)}</span>;

/** A span of time in seconds: "29 d 23 h". */
export const Duration = ({ value }: Figure) => (
  <span style={{ whiteSpace: 'nowrap' }}>{useFormat().duration(value)}</span>
);

/** A span of time in microseconds: "850 µs". */
export const Micros = ({ value }: Figure) => <span>{useMicros()(value)}</span>;
