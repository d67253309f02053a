'use client';

import { Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type ReactNode, useMemo } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { Drawer } from '@/components/patterns/drawer';
import { Facts } from '@/components/patterns/facts';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { MultilineText } from '@/components/patterns/multiline-text';
import { AbsoluteTime } from '@/components/patterns/relative-time';
import { RevealButton } from '@/components/patterns/reveal-button';
import { useFormat } from '@/components/patterns/use-format';
import { useReveal } from '@/components/patterns/use-reveal';
import { channelContracts, type LiveMessage } from '@/lib/channels/schema';
import { parseJson } from '@/lib/exact-json';

const MAX_LINES = 200;
const MAX_LINE = 8192;

/** Shows a JSON value. */
export type ShowJson = (value: unknown) => ReactNode;

/** The value of a JSON object or list; undefined for any other text. */
const structureIn = (text: string): unknown => {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};

interface MessageDrawerProps {
  message: LiveMessage | null;
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
  json: ShowJson;
}

/** One message with its payload: JSON as a tree, anything else as text. */
export const MessageDrawer = ({ message, opened, onClose, onClosed, json }: MessageDrawerProps) => {
  const t = useTranslations('channels.message');
  return (
    <Drawer opened={opened} onClose={onClose} onExitTransitionEnd={onClosed} title={t('title')} width="wide">
      {message && (
        <Stack gap="md">
          <MessageFacts message={message} />
          <Payload key={message.id} message={message} json={json} />
        </Stack>
      )}
    </Drawer>
  );
};

const MessageFacts = ({ message }: { message: LiveMessage }) => {
  const t = useTranslations('channels.message');
  const tWord = useTranslations('words');
  const format = useFormat();
  const { at, channel, pattern, familyTitle, bytes, fields } = message;
  return (
    <Facts
      facts={[
        { label: tWord('channel'), value: <KeyText>{channel}</KeyText> },
        pattern === null ? null : { label: t('pattern'), value: <KeyText>{pattern}</KeyText> },
        familyTitle === null ? null : { label: tWord('family'), value: familyTitle },
        { label: tWord('time'), value: <AbsoluteTime at={at} /> },
        { label: tWord('size'), value: format.bytes(bytes) },
        ...Object.entries(fields).map(([name, value]) => ({
          label: name,
          value: <HostileText>{String(value)}</HostileText>,
        })),
      ]}
    />
  );
};

const Payload = ({ message, json }: { message: LiveMessage; json: ShowJson }) => {
  const t = useTranslations('channels.message');
  const { id, channelId, truncated, masked, revealable } = message;
  const reveal = useReveal(channelContracts.reveal);
  const payload = reveal.shown?.answer.payload ?? message.payload;
  const value = useMemo(() => structureIn(payload), [payload]);
  return (
    <section aria-label={t('payload')}>
      {truncated && <Dimmed mb="xs">{t('truncated')}</Dimmed>}
      {masked && !reveal.shown && <Dimmed mb="xs">{t('masked')}</Dimmed>}
      {value === undefined ? (
        <MultilineText maxLines={MAX_LINES} max={MAX_LINE}>
          {payload}
        </MultilineText>
      ) : (
        json(value)
      )}
      {channelId !== null && (
        <RevealButton reveal={reveal} revealable={revealable} input={{ channelId, messageId: id }} />
      )}
    </section>
  );
};
