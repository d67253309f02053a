'use client';

import { Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { ChangeWords } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { useCommand } from '@/components/patterns/use-command';
import { commandLineContracts } from '@/lib/command-line/schema';
import { CommandDoc } from './command-doc';
import classes from './command-line.module.css';
import { HistoryPanel } from './history-panel';
import { LineInput } from './line-input';
import { type Output, OutputEntry, type Ran } from './output-entry';
import { commandLineQueries } from './queries';

const RunDrawer = onDemand(async () => (await import('./run-drawer')).RunDrawer);

const TYPING_MS = 80;
const MAX_OUTPUT = 100;
const MAX_RECENT = 100;

/** A write with the answer of its dry run. */
interface Plan {
  line: string;
  answer: Ran;
}

/** Typed commands, for tasks that no page covers. */
export const CommandLinePage = () => {
  const t = useTranslations('commandLine');
  const { id } = useConnection();
  const [line, setLine] = useState('');
  const [typed] = useDebouncedValue(line, TYPING_MS);
  const [output, setOutput] = useState<Output[]>([]);
  const [recent, setRecent] = useState<string[]>([]);
  const [plan, setPlan] = useState<Plan | null>(null);
  const [isAsking, setAsking] = useState(false);
  const completion = useQuery(commandLineQueries.completion(id, typed));
  const looked = useCommand(commandLineContracts.run, id);
  const change = useCommand(commandLineContracts.run, id);

  const show = (ran: Ran | null, error: Error | null) =>
    setOutput((entries) =>
      [{ id: crypto.randomUUID(), at: new Date().toISOString(), ran, error }, ...entries].slice(
        0,
        MAX_OUTPUT,
      ),
    );
  const done = (ran: Ran) => {
    show(ran, null);
    setLine('');
  };
  // Suggestions of an earlier line would complete this one wrongly.
  const isCurrent = completion.data !== undefined && !completion.isPlaceholderData && typed === line;
  const isRead = isCurrent && completion.data.command?.kind === 'read';
  /** Runs a read at once and shows a write first; a dry run decides while the kind of command is unknown. */
  const run = async (wanted: string) => {
    setRecent((before) => [wanted, ...before.filter((entry) => entry !== wanted)].slice(0, MAX_RECENT));
    try {
      const answer = isRead ? null : await looked.mutateAsync({ line: wanted, dryRun: true });
      if (!answer || answer.kind === 'read') done(await looked.mutateAsync({ line: wanted }));
      else {
        change.reset();
        setPlan({ line: wanted, answer });
        setAsking(true);
      }
    } catch (error) {
      show(null, error as Error);
    }
  };
  const write = (words: ChangeWords) => {
    if (!plan) return;
    const { etag, undo } = plan.answer;
    const input = { line: plan.line, withoutUndo: undo !== 'possible', ...(etag && { etag }), ...words };
    change.mutate(input, {
      onSuccess: (ran) => {
        setAsking(false);
        done(ran);
      },
    });
  };
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} />
      <div className={classes.layout}>
        <div>
          <LineInput
            line={line}
            onChange={setLine}
            onRun={(wanted) => void run(wanted)}
            running={looked.isPending || change.isPending}
            suggestions={isCurrent ? completion.data.suggestions : NONE}
            from={completion.data?.from ?? 0}
            recent={recent}
          />
          <ul className={classes.output} aria-label={t('output')} aria-live="polite">
            {output.map((entry) => (
              <OutputEntry key={entry.id} output={entry} />
            ))}
          </ul>
          {output.length === 0 && <Dimmed mt="md">{t('start')}</Dimmed>}
        </div>
        <Stack gap="md">
          <CommandDoc command={line === '' ? null : completion.data?.command} />
          <HistoryPanel />
        </Stack>
      </div>
      <RunDrawer
        plan={plan?.answer ?? null}
        opened={isAsking}
        pending={change.isPending}
        error={change.error}
        onRun={write}
        onClose={() => setAsking(false)}
      />
    </>
  );
};

const NONE: readonly [] = [];
