'use client';

import { Badge, Button, Group, Skeleton, Stack, Switch, Text, Title } from '@mantine/core';
import { IconUserSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { HostileText } from '@/components/patterns/hostile-text';
import { Panel } from '@/components/patterns/panel';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useMay } from '@/components/patterns/viewer';
import { PersonTokens } from './person-tokens';
import { type Person, sessionQueries } from './queries';
import { SessionFigures } from './session-figures';
import { SessionTable } from './session-table';
import type { Revocation } from './use-revocation';

interface PersonViewProps {
  userId: string;
  complete: boolean;
  onComplete: (complete: boolean) => void;
  revocation: Revocation;
}

const isNobody = ({ sessions, oauth, verifications, legacy, staleIndex }: Person): boolean =>
  sessions.length + oauth.length + verifications.length + legacy.length + staleIndex === 0;

/** Everything one person is let in by: sessions, tokens, legacy keys, and what the index gets wrong. */
export const PersonView = ({ userId, complete, onComplete, revocation }: PersonViewProps) => {
  const t = useTranslations('sessions');
  const connection = useConnection();
  const query = useQuery(sessionQueries.user(connection.id, userId, complete));
  const person = query.data;
  if (!person && query.isError)
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <Stack gap="md">
      {person && <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />}
      <PersonHead
        userId={userId}
        person={person}
        complete={complete}
        looking={query.isFetching}
        onComplete={onComplete}
        revocation={revocation}
      />
      <SessionTable
        label={t('person.sessionsOf', { id: userId })}
        rows={person?.sessions ?? []}
        loading={query.isPending}
        revocation={revocation}
        empty={
          <EmptyState icon={<IconUserSearch size={20} />} title={t('person.none', { id: userId })}>
            {t(person?.complete ? 'person.noneComplete' : 'person.noneIndex')}
          </EmptyState>
        }
      />
      {person && <PersonTokens person={person} />}
    </Stack>
  );
};

interface PersonHeadProps extends PersonViewProps {
  person: Person | undefined;
  looking: boolean;
}

const PersonHead = (props: PersonHeadProps) => {
  const t = useTranslations('sessions.person');
  const mayRevoke = useMay('sessions:revoke');
  const { userId, person, complete } = props;
  const ask = () => props.revocation.ask({ kind: 'person', userId, username: person?.username ?? null });
  return (
    <Panel>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={2}>
            {person?.username && <HostileText max={60}>{person.username}</HostileText>}{' '}
            <Text span inherit c="dimmed" fw={400}>
              #{userId}
            </Text>
          </Title>
          <Text size="sm" c="dimmed" role="status">
            {person ? t(sourceOf(person, complete)) : t('looking')}
          </Text>
        </div>
        {mayRevoke && (
          <Button color="red" disabled={!person || isNobody(person)} onClick={ask}>
            {t('revokeAll')}
          </Button>
        )}
      </Group>
      {person ? <PersonFigures person={person} /> : <Skeleton height={44} my="sm" />}
      <Group gap="sm">
        <Switch
          label={t('completeSwitch')}
          checked={complete}
          onChange={(event) => props.onComplete(event.currentTarget.checked)}
        />
        {person && props.looking && (
          <Badge variant="light" tt="none">
            {t('looking')}
          </Badge>
        )}
      </Group>
    </Panel>
  );
};

/** Which way of looking the figures come from: a small keyspace is always scanned. */
const sourceOf = (person: Person, asked: boolean) => {
  if (!person.complete) return asked ? 'sourceCut' : 'sourceIndex';
  return asked ? 'sourceComplete' : 'sourceSmall';
};

const PersonFigures = ({ person }: { person: Person }) => {
  const t = useTranslations('sessions.person.figure');
  const figures = {
    sessions: person.sessions.length,
    oauth: person.oauth.length,
    verifications: person.verifications.length,
    legacy: person.legacy.length,
    staleIndex: person.staleIndex,
    unindexed: person.unindexed,
  };
  const names = Object.keys(figures) as (keyof typeof figures)[];
  return <SessionFigures figures={names.map((name) => ({ label: t(name), value: figures[name] }))} />;
};
