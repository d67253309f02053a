'use client';

import { Badge, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { fromBase64, hexOf } from '@/components/patterns/file-bytes';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { MultilineText } from '@/components/patterns/multiline-text';
import { useFormat } from '@/components/patterns/use-format';
import type { Variable } from '@/lib/env/schema';
import { readBoolean } from '@/lib/values/style';
import classes from './env.module.css';
import { readList } from './list-text';

const DOTS = '••••••••';
const MAX_CHIPS = 6;

const Masked = ({ variable }: { variable: Variable }) => {
  const t = useTranslations('env.value');
  return (
    <span className={classes.masked}>
      <IconLock size={14} aria-hidden />
      <span aria-hidden style={{ letterSpacing: 1 }}>
        {DOTS}
      </span>
      <span className={classes.quiet}>{t(`secret.${variable.secretBy ?? 'name'}`)}</span>
    </span>
  );
};

const BooleanValue = ({ value }: { value: string }) => {
  const on = readBoolean(value);
  if (on === null) return <KeyText max={120}>{value}</KeyText>;
  return (
    <span className={classes.state} data-on={on || undefined}>
      <KeyText max={120}>{value}</KeyText>
    </span>
  );
};

const Chips = ({ value }: { value: string }) => {
  const t = useTranslations('env.value');
  const items = readList(value)?.items;
  if (!items || items.length === 0) return <MultilineText maxLines={3}>{value}</MultilineText>;
  return (
    <span className={classes.chips}>
      {items.slice(0, MAX_CHIPS).map((item, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a list may hold duplicates
        <KeyText key={i} max={60}>
          {item}
        </KeyText>
      ))}
      {items.length > MAX_CHIPS && (
        <span className={classes.quiet}>{t('more', { count: items.length - MAX_CHIPS })}</span>
      )}
    </span>
  );
};

/** A variable's value in a list: by kind, cut if long, masked if secret. */
export const VariableValue = ({ variable }: { variable: Variable }) => {
  const t = useTranslations('env.value');
  const { bytes } = useFormat();
  const { kind, type, value, valueBase64, lengthBytes } = variable;
  if (type !== 'string') return <Badge color="gray">{type}</Badge>;
  if (variable.secret) return <Masked variable={variable} />;
  if (valueBase64)
    return (
      <Text size="sm" component="div">
        <KeyText max={120}>{hexOf(fromBase64(valueBase64), 24)}</KeyText>{' '}
        <span className={classes.quiet}>{t('bytes', { size: bytes(lengthBytes) })}</span>
      </Text>
    );
  if (value === null)
    return <span className={classes.quiet}>{t('large', { size: bytes(lengthBytes) })}</span>;
  if (value === '') return <HostileText>{value}</HostileText>;
  if (kind === 'boolean') return <BooleanValue value={value} />;
  if (kind === 'list') return <Chips value={value} />;
  return (
    <span className={classes.plain}>
      <MultilineText maxLines={3} max={160}>
        {value}
      </MultilineText>
    </span>
  );
};
