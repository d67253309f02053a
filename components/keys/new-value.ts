import { nameInput } from '@/components/patterns/key-bytes';
import type { WireInput } from '@/lib/contract';
import type { EditableType } from '@/lib/key-values/schema';
import type { keyContracts } from '@/lib/keys/schema';

/** One field, member, element or entry field of a new value, as typed. */
export interface ValueRow {
  /** For a hash or a stream. */
  field: string;
  value: string;
  /** For a sorted set. */
  score: string;
}

/** The first value of a new key, as typed. */
export interface NewValue {
  type: EditableType;
  text: string;
  rows: readonly ValueRow[];
}

export const NO_ROW: ValueRow = { field: '', value: '', score: '' };
export const hasFields = (type: EditableType): boolean => type === 'hash' || type === 'stream';

type WireValue = WireInput<typeof keyContracts.create>['value'];

const SCORE = /^[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf)$/i;
export const isScore = (text: string): boolean => SCORE.test(text);

const isEmpty = ({ field, value, score }: ValueRow): boolean => field === '' && value === '' && score === '';

const pairOf = ({ field, value }: ValueRow) => ({ field: nameInput(field), value: { text: value } });

/** The value in the form of the API, without empty rows; null while it is incomplete. */
export const wireValue = ({ type, text, rows }: NewValue): WireValue | null => {
  if (type === 'string') return { type, value: { text } };
  const filled = rows.filter((row) => !isEmpty(row));
  if (filled.length === 0) return null;
  const values = filled.map(({ value }) => ({ text: value }));
  switch (type) {
    case 'hash':
    case 'stream':
      return filled.some(({ field }) => field === '') ? null : { type, fields: filled.map(pairOf) };
    case 'list':
      return { type, values };
    case 'set':
      return { type, members: values };
    case 'zset':
      if (!filled.every(({ score }) => isScore(score))) return null;
      return { type, members: filled.map(({ value, score }) => ({ member: { text: value }, score })) };
  }
};
