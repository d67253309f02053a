'use client';

import { Alert, Button, Group, Skeleton, Text, Title } from '@mantine/core';
import { IconCircleCheck, IconKey, IconListSearch, IconStack2 } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { CountFigures } from '@/components/patterns/count-figures';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { Link } from '@/components/patterns/link';
import { Panel } from '@/components/patterns/panel';
import { useMay } from '@/components/patterns/viewer';
import { userIdText } from '@/lib/sessions/schema';
import type { Revocation } from './use-revocation';
import { UserEnds } from './user-ends';
import classes from './user-head.module.css';
import type { User } from './user-query';

export interface UserViewProps {
  userId: string;
  complete: boolean;
  onComplete: (complete: boolean) => void;
  revocation: Revocation;
}

interface UserHeadProps extends UserViewProps {
  user: User | undefined;
  scanning: boolean;
  onMore: () => void;
  loadingMore: boolean;
}

/** Whether a complete scan found nothing to revoke. Without one, revoking may still find sessions. */
const hasNothing = ({ complete, sessions, oauth, verifications, legacy, staleIndex }: User): boolean =>
  complete && sessions.length + oauth.length + verifications.length + legacy.length + staleIndex === 0;

/** The user, what was found, whether that is complete, and the button to revoke it. */
export const UserHead = (props: UserHeadProps) => {
  const t = useTranslations('sessions.user');
  const connection = useConnection();
  const mayRevoke = useMay('sessions:revoke');
  const { userId, user } = props;
  const ask = () => props.revocation.ask({ kind: 'user', userId, username: user?.username ?? null });
  return (
    <Panel>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Title order={2}>
          {user?.username && <HostileText max={60}>{user.username}</HostileText>}{' '}
          <Text span inherit c="dimmed" fw={400}>
            #{userId}
          </Text>
        </Title>
        <Group gap="xs">
          <Button
            component={Link}
            variant="default"
            leftSection={<IconKey size={16} aria-hidden />}
            href={`/${connection.id}/tokens?user=${encodeURIComponent(userIdText(userId))}`}
          >
            {t('toTokens')}
          </Button>
          {mayRevoke && (
            <Button color="red" disabled={!user || hasNothing(user)} onClick={ask}>
              {t('revokeAll')}
            </Button>
          )}
        </Group>
      </Group>
      <UserFigures user={user} />
      {mayRevoke && !user && <Skeleton className={classes.awaitedEnds} />}
      {mayRevoke && user && !hasNothing(user) && <UserEnds user={user} />}
      <Completeness {...props} />
    </Panel>
  );
};

/** While they are not known too, each at its place. */
const UserFigures = ({ user }: { user: User | undefined }) => {
  const t = useTranslations('sessions.user.figure');
  const figures = {
    sessions: user?.sessions.length,
    oauth: user?.oauth.length,
    verifications: user?.verifications.length,
    legacy: user?.legacy.length,
    staleIndex: user?.staleIndex,
    unindexed: user?.unindexed,
  };
  const names = Object.keys(figures) as (keyof typeof figures)[];
  return <CountFigures figures={names.map((name) => ({ label: t(name), value: figures[name] ?? null }))} />;
};

/** Whether the data is from the index or a scan (a small keyspace is always scanned), with a button to scan. */
const Completeness = (props: UserHeadProps) => {
  const { user, complete, scanning, onComplete } = props;
  const t = useTranslations('sessions.user');
  if (!user)
    return (
      <div className={classes.awaitedLine}>
        <Line>{t('scanning')}</Line>
      </div>
    );
  if (user.complete)
    return (
      <Line
        icon={<IconCircleCheck size={16} color="var(--kw-good-text)" aria-hidden style={{ flex: 'none' }} />}
      >
        {t(complete ? 'sourceComplete' : 'sourceSmall')}
      </Line>
    );
  return (
    <>
      {user.cut && (
        <Alert color="orange" mt="sm" icon={<IconStack2 size={18} />} title={t('cut')} role="status">
          <Group justify="space-between" gap="sm">
            <span>{t('cutText', { shown: user.sessions.length, entries: user.indexEntries })}</span>
            <Button size="xs" variant="default" loading={props.loadingMore} onClick={props.onMore}>
              {t('more')}
            </Button>
          </Group>
        </Alert>
      )}
      {!user.scanned && !complete && (
        <Alert
          color="orange"
          mt="sm"
          icon={<IconListSearch size={18} />}
          title={t('incomplete')}
          role="status"
        >
          <Group justify="space-between" gap="sm">
            <span>{t('sourceIndex')}</span>
            <Button size="xs" variant="default" loading={scanning} onClick={() => onComplete(true)}>
              {t('completeIt')}
            </Button>
          </Group>
        </Alert>
      )}
      {complete && !user.scanned && <Line>{t('scanning')}</Line>}
    </>
  );
};

const Line = ({ icon, children }: { icon?: ReactNode; children: ReactNode }) => (
  <Group gap={6} mt="sm" wrap="nowrap">
    {icon}
    <Dimmed role="status">{children}</Dimmed>
  </Group>
);
