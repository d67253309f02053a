'use client';

import { Alert, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { Dimmed, SmallNote } from '@/components/patterns/dimmed';
import { Drawer } from '@/components/patterns/drawer';
import { Facts } from '@/components/patterns/facts';
import { Duration } from '@/components/patterns/figures';
import { KeyText } from '@/components/patterns/hostile-text';
import { KeyLink } from '@/components/patterns/key-link';
import { RateBar } from '@/components/patterns/rate-bar';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Strong } from '@/components/patterns/strong';
import type { ProcessState, StateField } from '@/lib/processes/schema';
import { visibleText } from '@/lib/visible-text';
import { LeftFigure, StageCell } from './list-parts';

/** Everything a process says of itself. */
export const ProcessDrawer = ({ row, current, opened, onClose }: RowDrawerProps<ProcessState>) => {
  const t = useTranslations('locks.process');
  const state = current ?? row;
  if (!state) return null;
  const { keyId, key, stuckReasons, problem } = state;
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      width="detail"
      title={t('drawer.title', { key: visibleText(key, 60) })}
    >
      <Stack gap="md">
        {!current && <Alert color="gray">{t('drawer.gone')}</Alert>}
        {stuckReasons.length > 0 && (
          <Alert color="red" title={t('stage.stuck')}>
            {stuckReasons.map((reason) => (
              <Text key={reason} size="sm">
                {t(`stuckMeans.${reason}`)}
              </Text>
            ))}
          </Alert>
        )}
        {problem && <Alert color="orange">{t(`unreadableMeans.${problem}`)}</Alert>}
        <Summary state={state} />
        <Fields state={state} />
        <KeyLink keyId={keyId} underline="always">
          {key}
        </KeyLink>
      </Stack>
    </Drawer>
  );
};

const Summary = ({ state }: { state: ProcessState }) => {
  const t = useTranslations('locks.process');
  const tWord = useTranslations('words');
  return (
    <Facts
      facts={[
        { label: t('column.process'), value: <KeyText max={200}>{state.process}</KeyText> },
        { label: tWord('id'), value: <KeyText max={200}>{state.id}</KeyText> },
        { label: t('column.stage'), value: <StageCell state={state} /> },
        { label: t('column.progress'), value: <RateBar value={state.progress} level="plain" /> },
        { label: tWord('age'), value: <Duration value={state.ageSeconds} /> },
        { label: t('column.updated'), value: <Duration value={state.updatedSecondsAgo} /> },
        { label: t('column.ttl'), value: <LeftFigure seconds={state.ttlSeconds} /> },
      ]}
    />
  );
};

const Fields = ({ state: { fields, fieldsTotal, type } }: { state: ProcessState }) => {
  const t = useTranslations('locks.process.drawer');
  const tWord = useTranslations('words');
  if (fields.length === 0) return <Dimmed>{t('noFields', { type })}</Dimmed>;
  return (
    <section aria-label={tWord('fields')}>
      <Strong mb={4}>{tWord('fields')}</Strong>
      <Facts
        facts={fields.map((field) => ({ label: visibleText(field.name, 60), value: <Value of={field} /> }))}
      />
      {fieldsTotal > fields.length && (
        <Dimmed mt={4}>{t('moreFields', { count: fieldsTotal - fields.length })}</Dimmed>
      )}
    </section>
  );
};

const Value = ({ of: { value, truncated, time } }: { of: StateField }) => {
  const t = useTranslations('locks.process.drawer');
  if (value === null) return t('hidden');
  return (
    <>
      <KeyText max={400}>{value}</KeyText>
      {truncated && ` ${t('cut')}`}
      {time !== null && (
        <SmallNote>
          {' '}
          <RelativeTime at={time} />
        </SmallNote>
      )}
    </>
  );
};
