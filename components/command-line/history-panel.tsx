'use client';

import { ActionIcon, Badge, Button, Group, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { Panel } from '@/components/patterns/panel';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useCommand } from '@/components/patterns/use-command';
import { commandLineContracts } from '@/lib/command-line/schema';
import classes from './command-line.module.css';
import { commandLineQueries } from './queries';

const COLORS = { done: 'green', refused: 'orange', failed: 'red', unknown: 'red' } as const;
const FIRST = 10;

/** The caller's own lines of the last 30 days, which are stored without values. */
export const HistoryPanel = () => {
  const t = useTranslations('commandLine.history');
  const { id } = useConnection();
  const query = useQuery(commandLineQueries.history(id));
  const clear = useCommand(commandLineContracts.clearHistory, id);
  const [isAll, setAll] = useState(false);
  const items = query.data?.items ?? [];
  const shown = isAll ? items : items.slice(0, FIRST);
  return (
    <Panel title={t('title')} note={t('note')}>
      <ProblemAlert error={query.error ?? clear.error} />
      {query.data && items.length === 0 && <Dimmed>{t('empty')}</Dimmed>}
      <ul className={classes.nodes}>
        {shown.map((entry) => (
          <li key={entry.id}>
            <Group gap={6} wrap="nowrap" justify="space-between">
              <Text size="xs" className={classes.line} component="div">
                <code>
                  <HostileText max={200}>{entry.line}</HostileText>
                </code>{' '}
                <Badge color={COLORS[entry.outcome]} size="xs">
                  {t(`outcome.${entry.outcome}`)}
                </Badge>{' '}
                <RelativeTime at={entry.at} />
              </Text>
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={t('remove', { line: entry.line.slice(0, 60) })}
                onClick={() => clear.mutate({ id: entry.id })}
              >
                <IconX size={14} />
              </ActionIcon>
            </Group>
          </li>
        ))}
      </ul>
      {items.length > 0 && (
        <Group gap="xs" mt="xs">
          {items.length > FIRST && (
            <Button size="compact-sm" variant="default" onClick={() => setAll(!isAll)}>
              {isAll ? t('fewer') : t('all', { count: items.length })}
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="default"
            loading={clear.isPending}
            onClick={() => clear.mutate({})}
          >
            {t('clear')}
          </Button>
        </Group>
      )}
    </Panel>
  );
};
