'use client';

import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { confirmationAsked } from '@/components/patterns/confirmation-asked';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { NameInput } from '@/components/patterns/exact-text';
import { fieldError } from '@/components/patterns/field-error';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { KeyText } from '@/components/patterns/hostile-text';
import { useCommand } from '@/components/patterns/use-command';
import { useFormat } from '@/components/patterns/use-format';
import { channelContracts } from '@/lib/channels/schema';
import { MessageFields } from './message-fields';
import { EMPTY_DRAFT, payloadOf, type Shape } from './message-shapes';
import { channelQueries, type Recipient } from './queries';
import type { Watched } from './watched';

const TYPING_MS = 400;

/** The channel that the drawer is opened for; null to type one. */
export interface PublishTo {
  watched: Watched;
  name: string;
}

interface PublishDrawerProps {
  to: PublishTo | null;
  /** Whether the server has sharded channels. */
  sharded: boolean;
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
}

/** Publishes a message, after showing how many listen. */
export const PublishDrawer = ({ to: given, sharded, ...drawer }: PublishDrawerProps) => {
  const t = useTranslations('channels.publish');
  const tChannels = useTranslations('channels');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const change = useCommand(channelContracts.publish, id);
  const [to, setTo] = useState(given);
  const [channel, setChannel] = useState('');
  const [isSharded, setSharded] = useState(false);
  const [shape, setShape] = useState<Shape>('notification');
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const recipient: Recipient = to
    ? { channelId: to.watched.id, sharded: to.watched.kind === 'sharded' }
    : { channel, sharded: isSharded };
  const isNamed = to !== null || channel !== '';
  const payload = payloadOf(shape, draft, Date.now());
  const refused = fieldError(change.error, 'channel');
  return (
    <FormDrawer
      operation="channels.publish"
      {...drawer}
      width="editor"
      title={tChannels('actions.channels-publish')}
      verb={t('verb')}
      needsConfirmation
      blocked={!isNamed || payload === null}
      change={change}
      confirm={confirmationAsked(change.error)}
      input={(words) => ({ ...recipient, payload: payload ?? '', ...words })}
      done={({ receivers }) => t('done', { count: receivers })}
      error={refused ? null : change.error}
    >
      <Stack gap="sm">
        {to ? (
          <Group justify="space-between" wrap="nowrap">
            <KeyText>{to.name}</KeyText>
            <Button variant="subtle" size="compact-sm" onClick={() => setTo(null)}>
              {t('other')}
            </Button>
          </Group>
        ) : (
          <NameInput
            label={tWord('channel')}
            value={channel}
            error={refused}
            onChange={(name) => {
              change.reset();
              setChannel(name);
            }}
          />
        )}
        {!to && sharded && (
          <Checkbox
            label={t('sharded')}
            checked={isSharded}
            onChange={(event) => setSharded(event.currentTarget.checked)}
          />
        )}
        <AudienceLine recipient={recipient} isNamed={isNamed} />
        <MessageFields
          shape={shape}
          onShape={setShape}
          draft={draft}
          onDraft={(part) => setDraft((before) => ({ ...before, ...part }))}
        />
        <Text size="sm">{t('consequence')}</Text>
      </Stack>
    </FormDrawer>
  );
};

/** How many listen now. Its space is reserved until that is known. */
const AudienceLine = ({ recipient, isNamed }: { recipient: Recipient; isNamed: boolean }) => {
  const t = useTranslations('channels.publish.audience');
  const { id } = useConnection();
  const format = useFormat();
  const [asked] = useDebouncedValue(recipient, TYPING_MS);
  const { data, error } = useQuery(
    channelQueries.audience(id, asked, isNamed && Boolean(asked.channelId ?? asked.channel)),
  );
  const text = (): string => {
    if (!isNamed) return t('none');
    if (!data) return t(error ? 'unknown' : 'loading');
    const { subscribers, patternClients } = data;
    const line = t('subscribers', { count: subscribers });
    if (patternClients === null) return `${line} ${t('patternsUnknown')}`;
    return patternClients > 0
      ? `${line} ${t('patterns', { count: format.count(patternClients), n: patternClients })}`
      : line;
  };
  return <Dimmed aria-live="polite">{text()}</Dimmed>;
};
