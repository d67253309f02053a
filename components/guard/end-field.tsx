'use client';

import { Input, SegmentedControl, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useNow } from '@/components/patterns/now';
import { TimeField } from '@/components/patterns/time-field';
import { type BanEnd, END_KINDS, type EndKind, endFault } from './ban-end';

interface EndFieldProps {
  value: BanEnd;
  onChange: (end: BanEnd) => void;
}

/** When a ban expires: after a span, at a time, or never. */
export const EndField = ({ value, onChange }: EndFieldProps) => {
  const t = useTranslations('guard.end');
  const tWord = useTranslations('words');
  const now = useNow('second') ?? 0;
  const fault = endFault(value, now);
  return (
    <Stack gap={6}>
      <Input.Label component="div">{tWord('expires')}</Input.Label>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label={tWord('expires')}
        value={value.kind}
        onChange={(kind) => onChange({ ...value, kind: kind as EndKind })}
        data={END_KINDS.map((kind) => ({ value: kind, label: t(`kind.${kind}`) }))}
      />
      {value.kind === 'until' && (
        <TimeField
          label={tWord('until')}
          value={value.at}
          onChange={(at) => onChange({ ...value, at })}
          error={fault === 'past' || fault === 'far' ? t(`fault.${fault}`) : undefined}
        />
      )}
      <Input.Description>{t(value.kind === 'none' ? 'hintNone' : 'hint')}</Input.Description>
    </Stack>
  );
};
