'use client';

import { Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { HostileText } from '@/components/patterns/hostile-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useFormat } from '@/components/patterns/use-format';
import { envContracts, type Variable } from '@/lib/env/schema';
import { visibleText } from '@/lib/visible-text';
import { useDisplayName } from './display-name';
import type { DrawerProps } from './edit-drawer';
import type { HistoryStep } from './queries';
import { useChange } from './queries';
import { type Present, refusalOf } from './refusal';
import { ChangedMeanwhile, Doubts } from './refusal-notes';

interface RestoreValueDrawerProps extends DrawerProps {
  variable: Variable;
  /** The change that replaced the value. */
  step: HistoryStep;
}

/** Restores a value that the browser does not have: a secret, or one too long for the log. It stays hidden. */
export const RestoreValueDrawer = ({ variable, step, ...drawer }: RestoreValueDrawerProps) => {
  const t = useTranslations('env');
  const displayName = useDisplayName();
  const { bytes } = useFormat();
  const change = useChange(envContracts.set);
  const [present, setPresent] = useState<Present | null>(null);
  const refusal = refusalOf(change.error, []);
  const verb = refusal.doubts || present ? 'anyway' : 'verb';
  return (
    <FormDrawer
      {...drawer}
      title={t('restoreValue.title', { name: visibleText(displayName(variable.name), 80) })}
      verb={t(`restoreValue.${verb}`)}
      change={change}
      input={(words) => ({
        name: variable.name,
        valueBefore: step.auditId,
        etag: present?.etag ?? variable.etag,
        anyway: refusal.doubts !== null,
        ...words,
      })}
      done={({ name }) => t('restoreValue.done', { name: visibleText(displayName(name), 60) })}
      onRefused={(error) => setPresent((last) => refusalOf(error, []).present ?? last)}
      error={refusal.rest}
    >
      <Stack gap="sm">
        <Text size="sm">
          {t.rich('restoreValue.means', {
            who: () => <HostileText max={60}>{step.actor}</HostileText>,
            when: () => <RelativeTime at={step.at} />,
          })}
        </Text>
        <Text size="sm">{t('restoreValue.replaces', { size: bytes(variable.lengthBytes) })}</Text>
        {variable.secret && <Text size="sm">{t('restoreValue.hidden')}</Text>}
        {refusal.doubts && <Doubts doubts={refusal.doubts} />}
        {present && <ChangedMeanwhile present={present} seen={variable.value} />}
      </Stack>
    </FormDrawer>
  );
};
