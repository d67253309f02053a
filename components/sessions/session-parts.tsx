'use client';

import { Anchor, Badge, Group, Text, Tooltip } from '@mantine/core';
import {
  IconDeviceDesktop,
  IconDeviceMobile,
  IconDevicesQuestion,
  IconDeviceTablet,
  IconTerminal2,
} from '@tabler/icons-react';
import Link from 'next/link';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { HostileText } from '@/components/patterns/hostile-text';
import type { Session } from '@/lib/sessions/schema';
import { type DeviceKind, deviceKind } from './device-kind';
import { useLife } from './still-valid';

/** The name with the number; leads to everything of this person. */
export const PersonName = ({ session }: { session: Session }) => {
  const connection = useConnection();
  const name = (
    <Text span size="sm" fw={600} c={session.username ? undefined : 'dimmed'}>
      <HostileText max={40}>{session.username}</HostileText>
    </Text>
  );
  if (!session.userId) return name;
  return (
    <Anchor
      component={Link}
      href={`/${connection.id}/sessions?user=${session.userId}`}
      c="inherit"
      underline="hover"
    >
      {name}{' '}
      <Text span size="sm" c="dimmed">
        #{session.userId}
      </Text>
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

export const DeviceCell = ({ session }: { session: Session }) => {
  const Icon = ICONS[deviceKind(session.device)];
  return (
    <Group gap={8} wrap="nowrap">
      <Icon size={16} stroke={1.6} aria-hidden style={{ flex: 'none' }} />
      <HostileText max={60}>{session.device.label}</HostileText>
    </Group>
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

/** What is the matter with a session; each says on hover what it means. */
export const StateBadges = ({ session }: { session: Session }) => {
  const t = useTranslations('sessions');
  return (
    <Group gap={4}>
      {session.states.map((state) => (
        <Tooltip key={state} label={t(`stateMeans.${state}`)} multiline maw={300}>
          <Badge color={COLORS[state]} variant="light" tt="none">
            {t(`state.${state}`)}
          </Badge>
        </Tooltip>
      ))}
    </Group>
  );
};

/** What is left of the session; one without a TTL is never over by itself. */
export const ExpiresIn = ({ session }: { session: Session }) => {
  const life = useLife();
  // An index entry without session has no life to speak of.
  if (session.states.includes('staleIndex')) return '—';
  return (
    <Text span size="sm" style={session.ttlSeconds === null ? { color: 'var(--kw-warn-text)' } : undefined}>
      {life(session.ttlSeconds)}
    </Text>
  );
};
