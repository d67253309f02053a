'use client';

import { ActionIcon, Box, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconMessageOff, IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import { EmptyState } from '@/components/patterns/empty-state';
import { EntityText } from '@/components/patterns/entity-text';
import { HostileText } from '@/components/patterns/hostile-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Tooltip } from '@/components/patterns/tooltip';
import touch from '@/components/patterns/touch.module.css';
import { useLive } from '@/components/patterns/use-live';
import { wholeOf } from '@/components/patterns/whole';
import type { Message } from '@/lib/conversations/schema';
import { visibleText } from '@/lib/visible-text';
import classes from './conversations.module.css';
import { MessageProblem, MessageText } from './message-text';

/** Characters of a line, and lines, of a message in the list. */
const MAX_LINE = 1000;
const MAX_LINES = 30;

interface Progress {
  /** Messages searched so far, and their total; null while that is unknown. */
  examined: number;
  total: number | null;
  hasOlder: boolean;
  fetching: boolean;
  onOlder: () => void;
}

interface MessageListProps {
  /** Latest first. */
  messages: readonly Message[];
  loading: boolean;
  /** Whether they belong to the previous search. */
  placeholder: boolean;
  /** The text searched for; empty for all messages. */
  find: string;
  progress: Progress;
  /** Absent: without the permission to change. */
  onDelete: ((message: Message) => void) | undefined;
}

/** Messages in order, the latest at the end and in view. */
export const MessageList = (props: MessageListProps) => {
  const { messages, loading, placeholder, find, progress, onDelete } = props;
  const t = useTranslations('conversations');
  const tWord = useTranslations('words');
  if (loading) return <Waiting />;
  if (messages.length === 0 && !progress.hasOlder)
    return (
      <EmptyState icon={<IconMessageOff size={20} />} title={t(find ? 'noMatch.title' : 'empty.title')}>
        {t(find ? 'noMatch.text' : 'empty.text')}
      </EmptyState>
    );
  return (
    <section
      className={classes.scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={t('list')}
      aria-busy={placeholder}
    >
      <div>
        <Older find={find} loaded={messages.length} progress={progress} />
        <ol className={classes.messages} aria-label={tWord('messages')} inert={placeholder}>
          {messages.toReversed().map((message) => (
            <MessageRow key={message.id} message={message} onDelete={onDelete} />
          ))}
        </ol>
      </div>
    </section>
  );
};

/** Above the messages: how many were searched, and a button for older ones. */
const Older = ({ find, loaded, progress }: { find: string; loaded: number; progress: Progress }) => {
  const t = useTranslations('conversations.older');
  const live = useLive();
  const { examined, total, hasOlder, fetching, onOlder } = progress;
  return (
    <div className={classes.older}>
      <Dimmed size="xs" aria-live={live}>
        {find
          ? t('searched', { count: loaded, examined, total: wholeOf(examined, total) })
          : t(hasOlder ? 'shown' : 'all', { count: loaded, total: total ?? loaded })}
      </Dimmed>
      {hasOlder && (
        <Button
          size="compact-sm"
          variant="default"
          className={touch.thumb}
          loading={fetching}
          onClick={onOlder}
        >
          {t(find ? 'search' : 'load')}
        </Button>
      )}
    </div>
  );
};

const MessageRow = ({ message, onDelete }: { message: Message } & Pick<MessageListProps, 'onDelete'>) => {
  const t = useTranslations('conversations.message');
  const tConversations = useTranslations('conversations');
  const what = visibleText(message.content ?? message.id, 40);
  return (
    <li className={classes.message}>
      <Box flex={1} miw={0}>
        <MessageHead message={message} />
        <p className={classes.content}>
          <MessageText message={message} max={MAX_LINE} maxLines={MAX_LINES} />
        </p>
      </Box>
      {onDelete && (
        <Tooltip label={tConversations('delete.title')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            className={touch.thumb}
            aria-label={t('deleteOf', { what })}
            onClick={() => onDelete(message)}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Tooltip>
      )}
    </li>
  );
};

/** Who wrote a message, when, and what is wrong with it. */
export const MessageHead = ({ message }: { message: Message }) => {
  const { sender, senderRef, at } = message;
  return (
    <Group gap="0 10px" align="baseline" fz="xs">
      {(sender !== null || senderRef !== null) && (
        <Text span inherit fw={600}>
          {senderRef ? <EntityText of={senderRef} /> : <HostileText max={60}>{sender}</HostileText>}
        </Text>
      )}
      {at !== null && (
        <Text span inherit c="dimmed">
          <RelativeTime at={at} />
        </Text>
      )}
      <MessageProblem message={message} />
    </Group>
  );
};

const Waiting = () => (
  <div className={classes.scroller} aria-busy>
    <Stack gap={18} py={16} aria-hidden>
      {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => (
        <Skeleton key={key} height={40} radius="sm" />
      ))}
    </Stack>
  </div>
);
