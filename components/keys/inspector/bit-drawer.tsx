'use client';

import { NumberInput, SegmentedControl } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { type KeyDetails, keyContracts } from '@/lib/keys/schema';
import type { EditDrawerProps } from './edits';
import { KeyForm, useKeyEdit } from './key-form';
import { keyName } from './key-name';
import { bytesOf } from './whole-value';

const MAX_OFFSET = 2 ** 32 - 1;

/** The bit at a position, if the loaded page contains it; bits beyond the value are 0. */
const bitAt = (details: KeyDetails, offset: number): 0 | 1 | null => {
  const { string, length } = details;
  if (!string || string.page.masked) return null;
  const at = Math.floor(offset / 8) - string.offset;
  const bytes = bytesOf(string.page);
  if (length !== null && offset >= length * 8) return 0;
  return at >= 0 && at < bytes.length ? (((bytes[at]! >> (7 - (offset % 8))) & 1) as 0 | 1) : null;
};

/** Sets one bit of a string, and extends it if it is shorter. */
export const BitDrawer = (props: EditDrawerProps) => {
  const { details } = props;
  const t = useTranslations('keys.inspector.bit');
  const [typed, setTyped] = useState<number | string>(0);
  const [bit, setBit] = useState<'0' | '1'>('1');
  const { change, conflict, target } = useKeyEdit(keyContracts.update, details);
  const offset = typeof typed === 'number' && Number.isInteger(typed) ? typed : null;
  const seen = offset === null ? null : bitAt(details, offset);
  const stored = conflict.current && offset !== null ? bitAt(conflict.current, offset) : null;
  return (
    <KeyForm
      {...props}
      title={t('title', { name: keyName(details) })}
      verb={t(conflict.current ? 'replace' : 'verb')}
      blocked={offset === null || offset < 0 || offset > MAX_OFFSET}
      change={change}
      conflict={conflict}
      input={(words) => ({
        ...target,
        edit: { op: 'setBit' as const, offset: offset!, bit: bit === '1' ? (1 as const) : (0 as const) },
        ...words,
      })}
      done={() => t('done', { offset: offset ?? 0, bit })}
      yours={bit}
      current={stored === null ? t('unseen') : String(stored)}
    >
      <NumberInput
        label={t('offset')}
        description={t('offsetHint')}
        value={typed}
        onChange={setTyped}
        min={0}
        max={MAX_OFFSET}
        allowDecimal={false}
        allowNegative={false}
      />
      <SegmentedControl
        aria-label={t('bit')}
        data={['0', '1']}
        value={bit}
        onChange={(next) => setBit(next === '1' ? '1' : '0')}
      />
      <Dimmed>{seen === null ? t('unseen') : t('now', { bit: seen })}</Dimmed>
    </KeyForm>
  );
};
