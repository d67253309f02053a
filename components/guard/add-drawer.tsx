'use client';

import { Alert, Stack, Textarea } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type ReactNode, useEffect, useState } from 'react';
import { MONOSPACE } from '@/components/patterns/as-typed';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { HostileText } from '@/components/patterns/hostile-text';
import { useCommand } from '@/components/patterns/use-command';
import type { Result, WireInput } from '@/lib/contract';
import { type AddedIp, guardContracts } from '@/lib/guard/schema';
import { type GuardSet, MAX_ENTRIES, pastedEntries, refusedEntries } from './pasted';

const ADD = { bans: guardContracts.blacklistAdd, projects: guardContracts.projectsBlock };
type Added = Result<(typeof ADD)[GuardSet]>;

/** The answer for one pasted line; `ip` is null for an invalid entry. */
export type Answer = Omit<AddedIp, 'warning'>;

/** Projects are answered in the order of the entries. */
const answersOf = ({ items }: Added, entries: readonly string[]): Answer[] =>
  items.map((item, i) =>
    'ip' in item
      ? item
      : { input: entries[i] ?? item.projectId, ip: item.projectId, status: item.status, reason: null },
  );

export interface AddingProps {
  opened: boolean;
  onClose: () => void;
  inAddress?: boolean;
  /** Seconds until a change takes effect; null while unknown. */
  seconds: number | null;
  /** The result per entry; null where the toast is enough. */
  onAnswers: (answers: readonly Answer[] | null) => void;
}

interface AddDrawerProps extends AddingProps {
  set: GuardSet;
  text: string;
  onText: (text: string) => void;
  /** Further input of the request. */
  more?: () => Pick<WireInput<typeof guardContracts.blacklistAdd>, 'note' | 'expiresAt'>;
  blocked?: boolean;
  /** How many entries would be added, where a preview says so. */
  adds?: number | undefined;
  children?: ReactNode;
}

/** Adds one entry or a pasted list to one of the collector's sets, with the consequence for its senders. */
export const AddDrawer = (props: AddDrawerProps) => {
  const { set, text, onText, more, blocked, adds, seconds, onAnswers, children, ...drawer } = props;
  const t = useTranslations('guard');
  const add = useCommand(ADD[set]);
  const entries = pastedEntries(text);
  // One added entry needs no table: the toast is enough.
  const showAnswers = (added: Added) => {
    const answers = answersOf(added, entries);
    onAnswers(answers.length === 1 && answers[0]?.status === 'added' ? null : answers);
  };
  return (
    <FormDrawer
      {...drawer}
      title={t(`${set}.add.title`)}
      verb={t(`${set}.add.verb`, { count: Math.max(1, adds ?? entries.length) })}
      destructive
      needsConfirmation={entries.length > 1}
      blocked={!isSendable(set, entries) || blocked === true}
      change={add}
      input={(words) =>
        set === 'bans' ? { ips: entries, ...more?.(), ...words } : { projectIds: entries, ...words }
      }
      done={({ added, inForceWithinSeconds }) =>
        added === 0 ? null : t(`${set}.add.done`, { count: added, seconds: inForceWithinSeconds })
      }
      onDone={showAnswers}
    >
      <Stack gap="sm">
        <span>{t(`${set}.add.consequence`)}</span>
        {seconds !== null && <span>{t('inForce', { seconds })}</span>}
        <EntriesField set={set} text={text} onChange={onText} />
        {children}
      </Stack>
    </FormDrawer>
  );
};

/** One project or a pasted list to block. */
export const BlockDrawer = (props: AddingProps) => {
  const { opened } = props;
  const [text, setText] = useState('');
  useEffect(() => {
    if (opened) setText('');
  }, [opened]);
  return <AddDrawer {...props} set="projects" text={text} onText={setText} />;
};

const SHOWN = 5;

interface EntriesFieldProps {
  set: GuardSet;
  text: string;
  onChange: (text: string) => void;
}

/** Whether the server would accept the list. */
export const isSendable = (set: GuardSet, entries: readonly string[]): boolean =>
  entries.length > 0 && entries.length <= MAX_ENTRIES && refusedEntries(set, entries).length === 0;

/** One entry or a pasted list, with the lines that would make the server refuse the list. */
const EntriesField = ({ set, text, onChange }: EntriesFieldProps) => {
  const t = useTranslations('guard');
  const entries = pastedEntries(text);
  const refused = refusedEntries(set, entries);
  return (
    <>
      <Textarea
        label={t(`${set}.add.field`)}
        description={t(`${set}.add.hint`)}
        placeholder={t(`${set}.add.example`)}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        autoComplete="off"
        styles={MONOSPACE}
      />
      {entries.length > MAX_ENTRIES && <Alert color="orange">{t('tooMany', { most: MAX_ENTRIES })}</Alert>}
      {refused.length > 0 && (
        <Alert color="orange" title={t(`${set}.add.refused`, { count: refused.length })}>
          {refused.slice(0, SHOWN).map((entry, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pasted line may come twice
            <div key={i}>
              <HostileText max={60}>{entry}</HostileText>
            </div>
          ))}
        </Alert>
      )}
    </>
  );
};
