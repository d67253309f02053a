'use client';

import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { SmallNote } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { MultilineText } from '@/components/patterns/multiline-text';
import type { Message } from '@/lib/conversations/schema';

interface MessageTextProps {
  message: Message;
  /** Characters of a line shown before the rest is cut. */
  max: number;
  /** Lines shown before the rest is cut; in a table all are one. */
  maxLines?: number;
}

/** The text of a message, or a note that its content is not stored. */
export const MessageText = ({ message: { content, truncated }, max, maxLines }: MessageTextProps) => {
  const t = useTranslations('conversations.message');
  if (content === null)
    return (
      <Text span inherit c="dimmed" fs="italic">
        {t('noContent')}
      </Text>
    );
  return (
    <>
      {maxLines === undefined ? (
        <HostileText max={max}>{content}</HostileText>
      ) : (
        <MultilineText max={max} maxLines={maxLines}>
          {content}
        </MultilineText>
      )}
      {truncated && <SmallNote> {t('truncated')}</SmallNote>}
    </>
  );
};

/** What is wrong with how a message is stored. */
export const MessageProblem = ({ message: { problem, time } }: { message: Message }) => {
  const t = useTranslations('conversations.message.problem');
  if (problem === null) return null;
  return (
    <Text span size="xs" c="var(--kw-warn-text)">
      {t(problem)}
      {problem === 'noTime' && time !== null && (
        <>
          {' '}
          <HostileText max={60}>{time}</HostileText>
        </>
      )}
    </Text>
  );
};
