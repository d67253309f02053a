'use client';

import { Alert, Chip, Group, Input, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { familiesQuery } from '@/components/patterns/families-query';
import { SpanField } from '@/components/patterns/span-field';
import { useFormat } from '@/components/patterns/use-format';
import { keyContracts } from '@/lib/keys/schema';
import type { EditDrawerProps } from './edits';
import classes from './inspector.module.css';
import { KeyForm, useKeyEdit } from './key-form';
import { keyName } from './key-name';

/** 5 minutes, 1 hour, 1 day, 30 days. */
const SPANS = [300, 3600, 86_400, 2_592_000];
const NONE = 'none';
const CUSTOM = 'custom';

/** Sets or removes the TTL of a key. */
export const TtlDrawer = (props: EditDrawerProps) => {
  const { details } = props;
  const t = useTranslations('keys.inspector.ttl');
  const tKeys = useTranslations('keys');
  const tWord = useTranslations('words');
  const format = useFormat();
  const { id } = useConnection();
  const name = keyName(details);
  const families = useQuery({ ...familiesQuery(id), enabled: details.family !== null });
  const family = families.data?.items.find((row) => row.family === details.family);
  const documented = family?.ttlSeconds ?? null;
  const [chosen, setChosen] = useState<string | null>(null);
  const [custom, setCustom] = useState(details.ttlSeconds ?? 3600);
  const [jitter, setJitter] = useState(0);
  const { change, conflict, target } = useKeyEdit(keyContracts.setTtl, details);
  const choice = chosen ?? CUSTOM;
  const seconds = choice === NONE ? null : choice === CUSTOM ? custom : Number(choice);
  const jitterSeconds = seconds === null ? 0 : jitter;
  const words = (ttl: number | null) => (ttl === null ? tKeys('noTtl') : format.duration(ttl));
  const spans = documented === null ? SPANS : [documented, ...SPANS.filter((span) => span !== documented)];
  return (
    <KeyForm
      {...props}
      width="detail"
      title={t('title', { name })}
      verb={t(conflict.current ? 'replace' : seconds === null ? 'remove' : 'verb')}
      blocked={seconds === null && details.ttlSeconds === null && !conflict.current}
      change={change}
      conflict={conflict}
      input={(given) => ({ ...target, ttlSeconds: seconds, jitterSeconds, ...given })}
      done={({ ttlSeconds }) => t('done', { name, ttl: words(ttlSeconds) })}
      yours={words(seconds)}
      current={conflict.current && words(conflict.current.ttlSeconds)}
    >
      <Text size="sm">{t('now', { ttl: words(details.ttlSeconds) })}</Text>
      <Input.Wrapper label={t('choice')} labelElement="div">
        <Chip.Group value={choice} onChange={(next) => setChosen(next as string)}>
          <Group gap={6} mt={4} className={classes.choice} role="radiogroup" aria-label={t('choice')}>
            {spans.map((span) => (
              <Chip key={span} value={String(span)} variant="outline">
                {span === documented
                  ? t('documented', { ttl: format.duration(span) })
                  : format.duration(span)}
              </Chip>
            ))}
            <Chip value={NONE} variant="outline">
              {t('none')}
            </Chip>
            <Chip value={CUSTOM} variant="outline">
              {t('custom')}
            </Chip>
          </Group>
        </Chip.Group>
      </Input.Wrapper>
      {choice === CUSTOM && (
        <SpanField
          label={t('custom')}
          description={family ? tWord('catalogTtl', { ttl: family.ttl }) : t('customHint')}
          seconds={custom}
          least={1}
          onChange={setCustom}
        />
      )}
      {seconds !== null && (
        <SpanField
          label={tWord('jitter')}
          description={t('jitterHint')}
          seconds={jitter}
          least={0}
          onChange={setJitter}
        />
      )}
      {seconds === null ? (
        family?.expires && <Alert color="orange">{t('shouldExpire', { ttl: family.ttl })}</Alert>
      ) : (
        <Text size="sm">
          {jitterSeconds === 0
            ? t('expires', { ttl: format.duration(seconds) })
            : t('between', {
                from: format.duration(seconds),
                to: format.duration(seconds + jitterSeconds),
              })}
        </Text>
      )}
    </KeyForm>
  );
};
