'use client';

import { Anchor, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { AbsoluteTime } from '@/components/patterns/relative-time';
import { useCommand } from '@/components/patterns/use-command';
import { type Attention, overviewContracts } from '@/lib/overview/schema';
import classes from './overview.module.css';

interface PutOffListProps {
  items: readonly Attention[];
  /** Whether the reader may show them again. */
  mayShow: boolean;
}

/** What was put off, by whom, why and until when. */
export const PutOffList = ({ items, mayShow }: PutOffListProps) => {
  const t = useTranslations('overview.attention.putOff');
  const { id: connection } = useConnection();
  const change = useCommand(overviewContracts.putOff, connection);
  return (
    <details className={classes.putOff}>
      <summary>{t('list', { count: items.length })}</summary>
      <ul>
        {items.map(({ id, text, putOff }) => (
          <li key={id}>
            <Text size="sm">
              <HostileText max={160}>{text}</HostileText>
            </Text>
            <Dimmed size="xs" component="div">
              {t.rich('until', {
                by: putOff!.by,
                reason: putOff!.reason,
                time: () => <AbsoluteTime at={putOff!.until} />,
              })}
            </Dimmed>
            {mayShow && (
              <Anchor
                component="button"
                size="xs"
                disabled={change.isPending}
                onClick={() => change.mutate({ id, until: null })}
              >
                {t('again')}
              </Anchor>
            )}
          </li>
        ))}
      </ul>
      <ProblemAlert error={change.error} />
    </details>
  );
};
