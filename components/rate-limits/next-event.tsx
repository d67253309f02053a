'use client';

import { Badge, Group, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import type { NextEvent } from '@/lib/rate-limits/schema';

interface NextEventLineProps {
  event: NextEvent;
  blocked: boolean | null;
}

/** The collector's answer to the next event, and when one is accepted again. */
export const NextEventLine = ({ event, blocked }: NextEventLineProps) => {
  const t = useTranslations('rateLimits.next');
  const { accepted, status, message, acceptedAt, state } = event;
  const counted = accepted && state !== 'limited' && state !== 'unreadable' ? state : null;
  const never = blocked === true ? 'blocked' : state === 'unreadable' ? 'unreadable' : 'unknown';
  return (
    <div>
      <Group gap={8}>
        <Badge color={accepted ? 'green' : 'red'}>{t(accepted ? 'accepted' : 'refused', { status })}</Badge>
        {message !== null && (
          <Text span size="sm">
            “<HostileText>{message}</HostileText>”
          </Text>
        )}
      </Group>
      <Dimmed mt={2}>
        {counted && t(`counted.${counted}`)}
        {!accepted && acceptedAt && t.rich('again', { when: () => <RelativeTime at={acceptedAt} /> })}
        {!accepted && !acceptedAt && t(`never.${never}`)}
      </Dimmed>
    </div>
  );
};
