'use client';

import { Alert, Chip, Group, Input, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { confirmationAsked } from '@/components/patterns/confirmation-asked';
import { useConnection } from '@/components/patterns/connection';
import { familiesQuery } from '@/components/patterns/families-query';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { SpanField } from '@/components/patterns/span-field';
import { useFormat } from '@/components/patterns/use-format';
import { keyContracts } from '@/lib/keys/schema';
import { Conflict, isChanged, SeenNote, useConflict } from './conflict';
import type { EditDrawerProps } from './edits';
import classes from './inspector.module.css';
import { keyName } from './key-name';
import { readKey, useKeyChange } from './queries';

/** 5 minutes, 1 hour, 1 day, 30 days. */
const SPANS = [300, 3600, 86_400, 2_592_000];
const NONE = 'none';
const CUSTOM = 'custom';

/** Sets or removes the TTL of a key. */
export const TtlDrawer = ({ details, now, ...drawer }: EditDrawerProps) => {
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
  const change = useKeyChange(keyContracts.setTtl, id);
  const conflict = useConflict(() => readKey(id, details.keyId));
  const inConflict = isChanged(change.error);
  const choice = chosen ?? CUSTOM;
  const seconds = choice === NONE ? null : choice === CUSTOM ? custom : Number(choice);
  const jitterSeconds = seconds === null ? 0 : jitter;
  const words = (ttl: number | null) => (ttl === null ? tKeys('noTtl') : format.duration(ttl));
  const spans = documented === null ? SPANS : [documented, ...SPANS.filter((span) => span !== documented)];
  return (
    <FormDrawer
      operation="keys.setTtl"
      {...drawer}
      width="detail"
      title={t('title', { name })}
      verb={t(conflict.current ? 'replace' : seconds === null ? 'remove' : 'verb')}
      blocked={
        (inConflict && !conflict.current) ||
        (seconds === null && details.ttlSeconds === null && !conflict.current)
      }
      change={change}
      confirm={confirmationAsked(change.error)}
      input={(given) => ({
        keyId: details.keyId,
        etag: conflict.current?.etag ?? details.etag,
        ttlSeconds: seconds,
        jitterSeconds,
        ...given,
      })}
      done={({ ttlSeconds }) => t('done', { name, ttl: words(ttlSeconds) })}
      onRefused={conflict.onRefused}
      error={inConflict ? null : change.error}
    >
      <Stack gap="sm">
        <SeenNote seen={details} now={now} hidden={!drawer.opened || change.isPending || inConflict} />
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
        {inConflict && (conflict.current || conflict.error) && (
          <Conflict
            error={conflict.error}
            yours={words(seconds)}
            current={conflict.current && words(conflict.current.ttlSeconds)}
            onLoad={null}
          />
        )}
      </Stack>
    </FormDrawer>
  );
};
