'use client';

import { Alert, Button, CloseButton, TextInput } from '@mantine/core';
import { IconBroadcast, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { FilterBar, NO_STATUS, SearchField } from '@/components/patterns/filter-bar';
import { KeyText } from '@/components/patterns/hostile-text';
import { onDemand } from '@/components/patterns/on-demand';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { AbsoluteTime } from '@/components/patterns/relative-time';
import touch from '@/components/patterns/touch.module.css';
import { useFormat } from '@/components/patterns/use-format';
import { useOpened } from '@/components/patterns/use-opened';
import { useTypedText } from '@/components/patterns/use-typed-text';
import type { LiveMessage } from '@/lib/channels/schema';
import { visibleText } from '@/lib/visible-text';
import classes from './channels.module.css';
import { useMessageColumns } from './message-columns';
import type { ShowJson } from './message-drawer';
import type { Lost } from './tail-buffer';
import { type TailState, useTail } from './use-tail';
import { keyOf, tailOf, type Watched } from './watched';

const MessageDrawer = onDemand(async () => (await import('./message-drawer')).MessageDrawer);

/** The number of past messages that a tail begins with. */
const REPLAY = 100;

interface TailFilter {
  type: string;
  action: string;
  entity: string;
  text: string;
}
const WORDS = ['type', 'action', 'entity'] as const;

interface TailPanelProps {
  connection: string;
  watched: readonly Watched[];
  names: ReadonlyMap<string, string>;
  filter: TailFilter;
  onFilter: (change: Partial<TailFilter>) => void;
  onStop: (watched: Watched) => void;
  json: ShowJson;
}

const idOf = ({ id }: LiveMessage): string => id;

/** The messages of the watched channels as they arrive, newest first. */
export const TailPanel = (props: TailPanelProps) => {
  const { connection, watched, names, filter, onFilter, onStop, json } = props;
  const t = useTranslations('channels');
  const tWord = useTranslations('words');
  const [isPaused, setPaused] = useState(false);
  const set = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
  const tail = useTail(connection, { ...tailOf(watched), filter: set, replay: REPLAY }, isPaused);
  const columns = useMessageColumns();
  const opened = useOpened<LiveMessage>();
  const isFiltered = Object.keys(set).length > 0;
  return (
    <section aria-label={t('tail.label')} className={classes.tail}>
      <ul className={`${classes.watched} ${touch.thumbs}`} aria-label={t('tail.watched')}>
        {watched.map((channel) => (
          <WatchedItem
            key={keyOf(channel)}
            name={names.get(keyOf(channel)) ?? ''}
            onStop={() => onStop(channel)}
          />
        ))}
      </ul>
      <FilterBar
        search={
          <SearchField
            value={filter.text}
            onChange={(text) => onFilter({ text })}
            label={t('filter.text')}
            noSecrets
          />
        }
        active={WORDS.filter((word) => filter[word] !== '').length}
        onClear={isFiltered ? () => onFilter({ type: '', action: '', entity: '', text: '' }) : undefined}
        actions={
          <Button
            variant={isPaused ? 'filled' : 'default'}
            leftSection={isPaused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
            aria-pressed={isPaused}
            onClick={() => setPaused(!isPaused)}
          >
            {isPaused ? t('tail.resume', { count: tail.waiting }) : t('tail.pause')}
          </Button>
        }
      >
        {WORDS.map((word) => (
          <WordField
            key={word}
            label={tWord(word)}
            value={filter[word]}
            onChange={(value) => onFilter({ [word]: value })}
          />
        ))}
      </FilterBar>
      <TailLine tail={tail} />
      {tail.lost && <LostAlert lost={tail.lost} onClose={tail.dismiss} />}
      {tail.status === 'failed' && tail.error !== null && <ProblemAlert error={tail.error} />}
      {tail.status === 'waiting' && <Alert color="gray">{t('tail.otherTab')}</Alert>}
      <DataTable
        label={tWord('messages')}
        name="messages"
        columns={columns}
        rows={tail.messages}
        rowId={idOf}
        loading={tail.status === 'connecting' && tail.messages.length === 0}
        live={[isPaused, JSON.stringify(set), watched.map(keyOf).join()]}
        onOpen={opened.open}
        empty={{
          icon: IconBroadcast,
          title: t(isFiltered ? 'tail.noMatch' : 'tail.quiet'),
          text: t(isFiltered ? 'tail.noMatchText' : 'tail.quietText'),
        }}
      />
      <MessageDrawer message={opened.about} {...opened.props} json={json} />
    </section>
  );
};

const WatchedItem = ({ name, onStop }: { name: string; onStop: () => void }) => {
  const t = useTranslations('channels');
  return (
    <li>
      <KeyText max={60}>{name}</KeyText>
      <CloseButton size="sm" aria-label={t('stop.of', { channel: visibleText(name, 60) })} onClick={onStop} />
    </li>
  );
};

/** Rate, and what was skipped. Not announced: it changes each second. */
const TailLine = ({ tail: { perSecond, skipped, messages, status } }: { tail: TailState }) => {
  const t = useTranslations('channels.tail');
  const format = useFormat();
  const parts =
    status !== 'live'
      ? [NO_STATUS]
      : [
          t('rate', { rate: format.perSecond(perSecond) }),
          t('shown', { count: messages.length }),
          t('skipped', { count: skipped }),
        ];
  return (
    <p className={classes.line} aria-live="off" data-skipped={skipped > 0 || undefined}>
      {parts.join(' · ')}
    </p>
  );
};

const LostAlert = ({ lost: { since, until, isOwn }, onClose }: { lost: Lost; onClose: () => void }) => {
  const t = useTranslations('channels.tail');
  const tWord = useTranslations('words');
  const resumed = isOwn ? 'reconnected' : 'resumed';
  return (
    <Alert
      color="orange"
      role="status"
      mb="sm"
      withCloseButton={until !== null}
      closeButtonLabel={tWord('dismiss')}
      onClose={onClose}
    >
      {t.rich(until === null ? 'lost' : resumed, {
        since: () => <AbsoluteTime at={since} />,
        until: () => <AbsoluteTime at={until} />,
      })}
    </Alert>
  );
};

interface WordFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** A word that a message must have, applied when typing pauses. */
const WordField = ({ label, value, onChange }: WordFieldProps) => {
  // The word is put into the address.
  const { text, onType, onEnter } = useTypedText(value, (next) => onChange(next.trim()), true);
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      value={text}
      maxLength={200}
      w={140}
      onChange={(event) => onType(event.currentTarget.value)}
      onKeyDown={onEnter}
    />
  );
};
