'use client';

import { Anchor, Badge, Group, Text } from '@mantine/core';
import {
  IconDeviceDesktop,
  IconDeviceMobile,
  IconDevicesQuestion,
  IconDeviceTablet,
  IconFileAlert,
  IconTerminal2,
} from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { Link } from '@/components/patterns/link';
import { Tooltip } from '@/components/patterns/tooltip';
import { type Session, userIdText } from '@/lib/sessions/schema';
import { visibleText } from '@/lib/visible-text';
import { type DeviceKind, deviceKind } from './device-kind';
import { useLife } from './still-valid';

/** Name and id, with a link to the user. */
export const UserName = ({ session }: { session: Session }) => {
  const connection = useConnection();
  // Ghosts and index entries have no name: the id stands for it.
  const name = (session.username !== null || session.userId === null) && (
    <Text span size="sm" fw={600} c={session.username ? undefined : 'dimmed'}>
      <HostileText max={40}>{session.username}</HostileText>
    </Text>
  );
  if (!session.userId) return name;
  return (
    <Anchor
      component={Link}
      href={`/${connection.id}/sessions?user=${encodeURIComponent(userIdText(session.userId))}`}
      c="inherit"
      underline="hover"
    >
      {name}{' '}
      <Dimmed span fw={name ? undefined : 600}>
        #{session.userId}
      </Dimmed>
    </Anchor>
  );
};

const ICONS: Record<DeviceKind, typeof IconDeviceDesktop> = {
  phone: IconDeviceMobile,
  tablet: IconDeviceTablet,
  computer: IconDeviceDesktop,
  program: IconTerminal2,
  unknown: IconDevicesQuestion,
};

/** The device's label, with the complete user agent on hover. */
export const DeviceCell = ({ session }: { session: Session }) => {
  const { label, userAgent } = session.device;
  const Icon = ICONS[deviceKind(session.device)];
  return (
    <Tooltip
      label={<HostileText max={300}>{userAgent}</HostileText>}
      disabled={userAgent === null}
      position="bottom-start"
      multiline
      maw={420}
    >
      <Group gap={8} wrap="nowrap">
        <Icon size={16} stroke={1.6} aria-hidden style={{ flex: 'none' }} />
        <HostileText max={60}>{label}</HostileText>
      </Group>
    </Tooltip>
  );
};

const COLORS: Record<Session['states'][number], string> = {
  live: 'green',
  unindexed: 'orange',
  ghost: 'red',
  noTtl: 'orange',
  legacy: 'orange',
  malformed: 'red',
  staleIndex: 'gray',
};

/** A session's states, each explained on hover. */
export const StateBadges = ({ session }: { session: Session }) => {
  const t = useTranslations('sessions');
  return (
    <Group gap={4}>
      {session.states.map((state) => (
        <Tooltip key={state} label={t(`stateMeans.${state}`)} multiline maw={300}>
          <Badge color={COLORS[state]}>{t(`state.${state}`)}</Badge>
        </Tooltip>
      ))}
      {session.jwt && session.jwt.disagreements.length > 0 && (
        <Disagreement lines={session.jwt.disagreements} />
      )}
    </Group>
  );
};

/** Marks a token that disagrees with Redis; details on hover and focus. */
const Disagreement = ({ lines }: { lines: readonly string[] }) => {
  const t = useTranslations('sessions');
  const words = `${t('claimsDisagree')} ${lines.join(' ')}`;
  return (
    <Tooltip label={<HostileText max={400}>{words}</HostileText>} multiline maw={320}>
      <IconFileAlert
        size={16}
        stroke={1.7}
        role="img"
        aria-label={visibleText(words, 400)}
        color="var(--kw-warn-text)"
      />
    </Tooltip>
  );
};

/** Time until the session expires. */
export const ExpiresIn = ({ session }: { session: Session }) => {
  const tWord = useTranslations('words');
  const life = useLife();
  // A stale index entry has no session, so nothing expires.
  if (session.states.includes('staleIndex')) return '—';
  return (
    <Text
      span
      size="sm"
      style={{ whiteSpace: 'nowrap', ...(session.ttlSeconds === null && { color: 'var(--kw-warn-text)' }) }}
    >
      {session.ttlSeconds === null ? tWord('never') : life(session.ttlSeconds)}
    </Text>
  );
};
