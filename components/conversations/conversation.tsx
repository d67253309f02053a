'use client';

import { Alert, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { useScanTable } from '@/components/data-table/use-scan-table';
import { useConnection } from '@/components/patterns/connection';
import { EntityText } from '@/components/patterns/entity-text';
import { FilterBar, NO_STATUS, SearchField } from '@/components/patterns/filter-bar';
import { onDemand } from '@/components/patterns/on-demand';
import { QueryProblem } from '@/components/patterns/query-problem';
import { StaleBanner } from '@/components/patterns/stale-banner';
import touch from '@/components/patterns/touch.module.css';
import { useFormat } from '@/components/patterns/use-format';
import { useOpened } from '@/components/patterns/use-opened';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import type { Message } from '@/lib/conversations/schema';
import type { EntityRef } from '@/lib/entities/schema';
import classes from './conversations.module.css';
import { MessageList } from './message-list';
import { type ConversationName, conversationQueries } from './queries';

const DeleteMessageDrawer = onDemand(
  async () => (await import('./delete-message-drawer')).DeleteMessageDrawer,
);

const FIELDS = { find: '' };
/** A room may have thousands: all of them are in the relation of the entity. */
const MEMBERS_SHOWN = 20;

const idOf = ({ id }: Message): string => id;

interface ConversationProps extends ConversationName {
  /** Shown below the messages once they are there, because their height is unknown before. */
  children?: ReactNode;
}

/** A chat or a room: its members and its messages, the latest at the end. */
export const Conversation = ({ children, ...name }: ConversationProps) => {
  const t = useTranslations('conversations');
  const format = useFormat();
  const { id: connection } = useConnection();
  const [{ find }, setUrl] = useUrlState(FIELDS);
  const query = useInfiniteQuery(conversationQueries.messages(connection, name, find));
  const scan = useScanTable(query, idOf);
  const mayWrite = useMay('keys:write');
  const deletion = useOpened<Message>();
  const [first] = query.data?.pages ?? [];
  if (query.isError && !query.data)
    return (
      <>
        <QueryProblem of={query} />
        {children}
      </>
    );
  const total = first?.messages ?? null;
  return (
    <>
      <section aria-label={t('label')}>
        <Title order={2} size="h4" mb="xs">
          {t('label')}
        </Title>
        <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
        <Members members={first?.members} />
        <FilterBar
          search={<SearchField value={find} onChange={(text) => setUrl({ find: text })} label={t('find')} />}
          onClear={find ? () => setUrl({ find: '' }) : undefined}
          status={
            first
              ? t('figures', {
                  known: total === null ? 'no' : 'yes',
                  count: total ?? 0,
                  perHour: format.number(first.perHour),
                })
              : NO_STATUS
          }
        />
        {first?.problem && (
          <Alert color="orange" mb="sm">
            {t(`problem.${first.problem}`)}
          </Alert>
        )}
        <MessageList
          messages={scan.rows}
          loading={scan.table.loading}
          placeholder={query.isPlaceholderData}
          find={find}
          progress={{
            examined: scan.examined,
            total,
            hasOlder: query.hasNextPage,
            fetching: query.isFetchingNextPage,
            onOlder: scan.goOn,
          }}
          onDelete={mayWrite ? deletion.open : undefined}
        />
        <DeleteMessageDrawer
          key={deletion.key}
          conversation={name}
          message={deletion.about}
          {...deletion.props}
        />
      </section>
      {first && children}
    </>
  );
};

/** Reserves its space while the members load, so that nothing below moves. */
const Members = ({ members }: { members: readonly EntityRef[] | undefined }) => {
  const t = useTranslations('conversations');
  const tWord = useTranslations('words');
  if (!members) return <div className={classes.members} />;
  if (members.length === 0) return null;
  return (
    <ul className={`${classes.members} ${touch.thumbs}`} aria-label={t('rooms.column.members')}>
      <Text component="li" inherit c="dimmed" aria-hidden>
        {t('rooms.column.members')}
      </Text>
      {members.slice(0, MEMBERS_SHOWN).map((member) => (
        <li key={`${member.kind} ${member.id}`}>
          <EntityText of={member} max={40} />
        </li>
      ))}
      {members.length > MEMBERS_SHOWN && (
        <li>{tWord('andMore', { count: members.length - MEMBERS_SHOWN })}</li>
      )}
    </ul>
  );
};
