'use client';

import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { onDemand } from '@/components/patterns/on-demand';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useCommand } from '@/components/patterns/use-command';
import { call } from '@/lib/api-client';
import { secondFactorContracts } from '@/lib/users/second-factor/schema';
import type { Removing } from './remove-factor';

const { get, createRecoveryCodes } = secondFactorContracts;

const AddApp = onDemand(async () => (await import('./add-app')).AddApp);
const AddPasskey = onDemand(async () => (await import('./add-passkey')).AddPasskey);
const ShownOnce = onDemand(async () => (await import('@/components/patterns/shown-once')).ShownOnce);
const RemoveFactor = onDemand(async () => (await import('./remove-factor')).RemoveFactor);

/** The user's own second factor: authenticator app, passkeys, recovery codes. */
export const SecondFactorPanel = () => {
  const t = useTranslations('secondFactor');
  const [adding, setAdding] = useState<'app' | 'passkey' | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const { data, error } = useQuery({ queryKey: [get.id], queryFn: () => call(get, {}) });
  const renew = useCommand(createRecoveryCodes, undefined, {
    gcTime: 0,
    onSuccess: ({ codes: made }) => setCodes(made),
  });
  const [removing, setRemoving] = useState<Removing | null>(null);
  if (!data) return <ProblemAlert error={error} />;
  if (data.atProvider) return <Text size="sm">{t('atProvider')}</Text>;
  const hasAny = data.app || data.passkeys.length > 0;
  const added = () => {
    setAdding(null);
    // A user who loses the phone needs recovery codes.
    if (data.recoveryCodes === 0) renew.mutate({});
  };
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">{hasAny ? t('has') : t('none')}</Text>
      {data.app && (
        <Row text={t('app')} verb={t('remove')} onRemove={() => setRemoving({ name: t('app') })} />
      )}
      {data.passkeys.map(({ id, name, createdAt }) => (
        <Row
          key={id}
          text={
            <>
              <HostileText max={60}>{name}</HostileText> · <RelativeTime at={createdAt} />
            </>
          }
          verb={t('remove')}
          onRemove={() => setRemoving({ name, passkey: id })}
        />
      ))}
      {hasAny && data.recoveryCodes === 0 && (
        <Alert color="orange" w="100%">
          {t('noCodes')}
        </Alert>
      )}
      {hasAny && data.recoveryCodes > 0 && <Dimmed>{t('codesLeft', { count: data.recoveryCodes })}</Dimmed>}
      <ProblemAlert error={renew.error} />
      <Group gap="sm">
        {!data.app && (
          <Button variant="default" onClick={() => setAdding('app')}>
            {t('addApp')}
          </Button>
        )}
        {data.passkeysPossible && (
          <Button variant="default" onClick={() => setAdding('passkey')}>
            {t('addPasskey')}
          </Button>
        )}
        {hasAny && (
          <Button variant="default" loading={renew.isPending} onClick={() => renew.mutate({})}>
            {t('newCodes')}
          </Button>
        )}
      </Group>
      <AddApp
        opened={adding === 'app'}
        asksPassword={!hasAny}
        onClose={() => setAdding(null)}
        onAdded={added}
      />
      <AddPasskey
        opened={adding === 'passkey'}
        asksPassword={!hasAny}
        onClose={() => setAdding(null)}
        onAdded={added}
      />
      <RemoveFactor removing={removing} onClose={() => setRemoving(null)} />
      <ShownOnce
        secret={codes?.join('\n') ?? null}
        onClose={() => setCodes(null)}
        testId="recovery-codes"
        texts={{
          title: t('codesTitle'),
          once: t('codesOnce'),
          copy: t('copyCodes'),
          copied: t('copiedCodes'),
          stored: t('storedCodes'),
        }}
      />
    </Stack>
  );
};

interface RowProps {
  text: ReactNode;
  verb: string;
  onRemove: () => void;
}

const Row = ({ text, verb, onRemove }: RowProps) => (
  <Group justify="space-between" w="100%" wrap="nowrap">
    <Text size="sm">{text}</Text>
    <Button variant="subtle" color="red" size="compact-sm" onClick={onRemove}>
      {verb}
    </Button>
  </Group>
);
