'use client';

import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconSend } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { useOpened } from '@/components/patterns/use-opened';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import type { ChannelRow } from '@/lib/channels/schema';
import { ChannelList } from './channel-list';
import classes from './channels.module.css';
import type { ShowJson } from './message-drawer';
import { PatternField } from './pattern-field';
import type { PublishTo } from './publish-drawer';
import { channelQueries } from './queries';
import { TailPanel } from './tail-panel';
import { addressOf, keyOf, namesOf, patternOf, type Watched, watchedIn } from './watched';

const PublishDrawer = onDemand(async () => (await import('./publish-drawer')).PublishDrawer);

const FIELDS = { watch: '', q: '', type: '', action: '', entity: '', text: '' };
const NO_ROWS: ChannelRow[] = [];

/** The watched channels, which are kept in the address. */
const useWatched = (text: string, onChange: (text: string) => void) => {
  const t = useTranslations('channels');
  const watched = useMemo(() => watchedIn(text), [text]);
  const set = (next: readonly Watched[]): void => {
    const address = addressOf(next);
    if (address === null) notifications.show({ color: 'orange', message: t('tooMany') });
    else onChange(address);
  };
  const remove = (channel: Watched) => set(watched.filter((other) => keyOf(other) !== keyOf(channel)));
  const add = (channel: Watched) =>
    set([...watched.filter((other) => keyOf(other) !== keyOf(channel)), channel]);
  return { watched, followed: useMemo(() => new Set(watched.map(keyOf)), [watched]), add, remove };
};

/** Pub/sub channels: who listens, and what is published. */
export const ChannelsPage = ({ json }: { json: ShowJson }) => {
  const t = useTranslations('channels');
  const { id: connection } = useConnection();
  const [{ watch, q, ...filter }, setUrl] = useUrlState(FIELDS);
  const { watched, followed, add, remove } = useWatched(watch, (next) => setUrl({ watch: next }));
  const query = useInfiniteQuery(channelQueries.list(connection, q));
  const rows = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? NO_ROWS, [query.data]);
  const names = useMemo(() => namesOf(watched, rows), [watched, rows]);
  const publish = useOpened<PublishTo | null>();
  const mayPublish = useMay('live:publish');
  const onToggle = (row: ChannelRow): void => {
    if (row.channelId === null) return;
    const channel = { kind: row.kind, id: row.channelId };
    if (followed.has(keyOf(channel))) remove(channel);
    else add(channel);
  };
  /** The watched channel, if it is the only one; a pattern cannot receive messages. */
  const recipient = (): PublishTo | null => {
    const [only, ...others] = watched;
    if (!only || others.length > 0 || only.kind === 'pattern') return null;
    return { watched: only, name: names.get(keyOf(only)) ?? '' };
  };
  return (
    <>
      <PageHeader
        title={t('title')}
        sentence={t('sentence')}
        actions={
          mayPublish && (
            <Button leftSection={<IconSend size={16} />} onClick={() => publish.open(recipient())}>
              {t('publish.open')}
            </Button>
          )
        }
      />
      <div className={classes.page} data-watching={watched.length > 0 || undefined}>
        {watched.length > 0 && (
          <TailPanel
            connection={connection}
            watched={watched}
            names={names}
            filter={filter}
            onFilter={setUrl}
            onStop={remove}
            json={json}
          />
        )}
        <div className={classes.list}>
          <PatternField onWatch={(pattern) => add(patternOf(pattern))} />
          <ChannelList
            query={query}
            rows={rows}
            q={q}
            onSearch={(next) => setUrl({ q: next })}
            followed={followed}
            onToggle={onToggle}
          />
        </div>
      </div>
      <PublishDrawer
        key={publish.key}
        to={publish.about}
        sharded={query.data?.pages[0]?.sharded ?? false}
        {...publish.props}
      />
    </>
  );
};
