'use client';

import { Alert, Button, Group, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Drawer } from '@/components/patterns/drawer';
import { Facts } from '@/components/patterns/facts';
import { HostileText } from '@/components/patterns/hostile-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useMay } from '@/components/patterns/viewer';
import type { Session } from '@/lib/sessions/schema';
import { sessionLabel } from './session-columns';
import { DeviceCell, ExpiresIn, StateBadges, UserName } from './session-parts';

interface SessionDrawerProps {
  session: Session | null;
  opened: boolean;
  onClose: () => void;
  onRevoke: (session: Session) => void;
}

/** All data of one session except its token. */
export const SessionDrawer = ({ session, opened, onClose, onRevoke }: SessionDrawerProps) => {
  const t = useTranslations('sessions.drawer');
  const mayRevoke = useMay('sessions:revoke');
  if (!session) return null;
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      width="detail"
      title={t('title', { who: sessionLabel(session) })}
    >
      <Stack gap="md">
        <Problems session={session} />
        <SessionFacts session={session} />
        <Claims session={session} />
        {mayRevoke && session.handle && (
          <Group justify="flex-end">
            <Button color="red" onClick={() => onRevoke(session)}>
              {t('revoke')}
            </Button>
          </Group>
        )}
      </Stack>
    </Drawer>
  );
};

const Problems = ({ session }: { session: Session }) => {
  const t = useTranslations('sessions.stateMeans');
  const problems = session.states.filter((state) => state !== 'live');
  if (problems.length === 0) return null;
  return (
    <Alert color="orange">
      {problems.map((state) => (
        <div key={state}>{t(state)}</div>
      ))}
    </Alert>
  );
};

const SessionFacts = ({ session }: { session: Session }) => {
  const t = useTranslations('sessions');
  const tWord = useTranslations('words');
  return (
    <Facts
      facts={[
        { label: tWord('user'), value: <UserName session={session} /> },
        { label: tWord('state'), value: <StateBadges session={session} /> },
        { label: t('filter.device'), value: <DeviceCell session={session} /> },
        {
          label: t('drawer.userAgent'),
          value: <HostileText max={300}>{session.device.userAgent}</HostileText>,
        },
        { label: tWord('address'), value: <HostileText max={60}>{session.device.address}</HostileText> },
        { label: t('column.created'), value: <RelativeTime at={session.createdAt} /> },
        { label: t('column.lastActivity'), value: <RelativeTime at={session.lastActivity} /> },
        { label: tWord('expiresIn'), value: <ExpiresIn session={session} /> },
        { label: t('column.indexed'), value: t(session.indexed ? 'indexed.yes' : 'indexed.no') },
        { label: t('column.fingerprint'), value: <code>{session.fingerprint}</code> },
      ]}
    />
  );
};

const Claims = ({ session }: { session: Session }) => {
  const t = useTranslations('sessions.drawer');
  const tWord = useTranslations('words');
  if (!session.jwt) return null;
  const { issuedAt, expiresAt, subject, disagreements } = session.jwt;
  return (
    <section aria-label={t('claims')}>
      <strong>{t('claims')}</strong>
      <Facts
        facts={[
          { label: t('subject'), value: <HostileText max={80}>{subject}</HostileText> },
          { label: t('issued'), value: <RelativeTime at={issuedAt} /> },
          { label: tWord('expires'), value: <RelativeTime at={expiresAt} /> },
        ]}
      />
      {disagreements.length > 0 && (
        <Alert color="orange" mt="xs" title={t('disagrees')}>
          {disagreements.map((line) => (
            <div key={line}>
              <HostileText>{line}</HostileText>
            </div>
          ))}
        </Alert>
      )}
    </section>
  );
};
