'use client';

import { Badge, Code, Group, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import { Facts } from '@/components/patterns/facts';
import { HostileText } from '@/components/patterns/hostile-text';
import { Panel } from '@/components/patterns/panel';
import { ServerSentence } from '@/components/patterns/server-sentence';
import type { ShownDoc } from '@/lib/command-line/schema';
import classes from './command-line.module.css';
import { PageReference } from './page-reference';

const COLORS = { read: 'blue', write: 'orange', refused: 'red' } as const;

/** What the server says of the command in the line, and who may run it. */
export const CommandDoc = ({ command }: { command: ShownDoc | null | undefined }) => {
  const t = useTranslations('commandLine.doc');
  const tWord = useTranslations('words');
  if (!command)
    return (
      <Panel title={t('title')}>
        <Dimmed>{t('none')}</Dimmed>
      </Panel>
    );
  const { name, syntax, next, summary, since, group, complexity, kind, needs, allowed, page, reason } =
    command;
  return (
    <Panel title={t('title')}>
      <Stack gap="xs">
        <Group gap="xs" justify="space-between">
          <Code>{name}</Code>
          <Badge color={COLORS[kind]}>{t(`kind.${kind}`)}</Badge>
        </Group>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long syntax scrolls, by keyboard too */}
        <section className={classes.syntax} tabIndex={0} aria-label={t('syntax')}>
          {name} {syntax}
        </section>
        {summary && (
          <Text size="sm">
            <HostileText max={400}>{summary}</HostileText>
          </Text>
        )}
        <Facts
          facts={[
            next ? { label: tWord('next'), value: <code>{next.slice(0, 120)}</code> } : null,
            { label: t('who'), value: t(kind === 'refused' ? 'nobody' : needs ? 'writers' : 'readers') },
            since ? { label: tWord('since'), value: since } : null,
            group ? { label: t('group'), value: group } : null,
            complexity
              ? { label: t('complexity'), value: <HostileText max={400}>{complexity}</HostileText> }
              : null,
          ]}
        />
        {kind !== 'refused' && !allowed && <Text size="sm">{t('notYou', { permission: needs ?? '' })}</Text>}
        {reason && (
          <Text size="sm">
            <ServerSentence max={500}>{reason}</ServerSentence>
          </Text>
        )}
        <PageReference page={page} />
      </Stack>
    </Panel>
  );
};
