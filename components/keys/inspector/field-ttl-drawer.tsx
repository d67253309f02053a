'use client';

import { Switch } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { SpanField } from '@/components/patterns/span-field';
import { useFormat } from '@/components/patterns/use-format';
import { type ElementDrawerProps, nameOf, shownName } from './element-drawers';
import { ElementForm } from './element-form';

/** Sets or removes the TTL of a field, on servers with such TTLs. */
export const FieldTtlDrawer = (props: ElementDrawerProps) => {
  const { row } = props;
  const t = useTranslations('keys.inspector.fieldTtl');
  const tKeys = useTranslations('keys');
  const tWord = useTranslations('words');
  const format = useFormat();
  const before = row.ttlSeconds ?? null;
  const [expires, setExpires] = useInputState(true);
  const [seconds, setSeconds] = useState(before ?? 3600);
  const ttlSeconds = expires ? seconds : null;
  const words = (ttl: number | null | undefined) =>
    ttl == null ? tWord('neverExpires') : format.duration(ttl);
  const name = shownName(row);
  return (
    <ElementForm
      {...props}
      title={t('title', { name })}
      verb={tKeys('inspector.ttl.verb')}
      done={t('done', { name, ttl: words(ttlSeconds) })}
      edit={(element) => ({ op: 'setFieldTtl', element, field: nameOf(row), ttlSeconds })}
      unchanged={ttlSeconds === before}
      yours={words(ttlSeconds)}
      current={(found) => words(found.ttlSeconds)}
    >
      <Switch label={t('expires')} checked={expires} onChange={setExpires} />
      {expires && (
        <SpanField
          label={tWord('expiresIn')}
          description={t('now', { ttl: words(before) })}
          seconds={seconds}
          least={1}
          onChange={setSeconds}
        />
      )}
    </ElementForm>
  );
};
