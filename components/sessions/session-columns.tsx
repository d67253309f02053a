'use client';

import { ActionIcon, Tooltip } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { DataColumn } from '@/components/data-table/columns';
import { HostileText } from '@/components/patterns/hostile-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import type { Session } from '@/lib/sessions/schema';
import { visibleText } from '@/lib/visible-text';
import { DeviceCell, ExpiresIn, PersonName, StateBadges } from './session-parts';

/** How a session is called in labels: "liwei #8130", "#8130", or by its fingerprint. */
export const sessionLabel = ({ username, userId, fingerprint }: Session): string => {
  const name = username ? visibleText(username, 40) : null;
  const id = userId ? `#${userId}` : null;
  return [name, id].filter((part) => part !== null).join(' ') || fingerprint;
};

export const useSessionColumns = (onOpen: (session: Session) => void): DataColumn<Session>[] => {
  const t = useTranslations('sessions');
  return useMemo(
    (): DataColumn<Session>[] => [
      {
        id: 'user',
        header: t('column.user'),
        width: 190,
        pinned: true,
        cell: (session) => <PersonName session={session} />,
        value: (session) => session.username,
      },
      {
        id: 'userId',
        header: t('column.userId'),
        width: 90,
        align: 'right',
        hiddenAtFirst: true,
        cell: (session) => session.userId ?? '—',
        value: (session) => session.userId,
      },
      {
        id: 'device',
        header: t('column.device'),
        width: 220,
        cell: (session) => <DeviceCell session={session} />,
        value: (session) => session.device.label,
      },
      {
        id: 'lastActivity',
        header: t('column.lastActivity'),
        width: 120,
        cell: (session) => <RelativeTime at={session.lastActivity} />,
        value: (session) => session.lastActivity,
      },
      {
        id: 'expires',
        header: t('column.expires'),
        width: 110,
        cell: (session) => <ExpiresIn session={session} />,
        value: (session) => session.ttlSeconds,
      },
      {
        id: 'states',
        header: t('column.states'),
        width: 190,
        cell: (session) => <StateBadges session={session} />,
        value: (session) => session.states.join(' '),
      },
      {
        id: 'indexed',
        header: t('column.indexed'),
        width: 90,
        cell: (session) => t(session.indexed ? 'indexed.yes' : 'indexed.no'),
        value: (session) => session.indexed,
      },
      {
        id: 'address',
        header: t('column.address'),
        width: 150,
        hiddenAtFirst: true,
        cell: (session) => <HostileText max={45}>{session.device.address}</HostileText>,
        value: (session) => session.device.address,
      },
      {
        id: 'created',
        header: t('column.created'),
        width: 120,
        hiddenAtFirst: true,
        cell: (session) => <RelativeTime at={session.createdAt} />,
        value: (session) => session.createdAt,
      },
      {
        id: 'fingerprint',
        header: t('column.fingerprint'),
        width: 110,
        hiddenAtFirst: true,
        cell: (session) => <code>{session.fingerprint}</code>,
        value: (session) => session.fingerprint,
      },
      {
        id: 'actions',
        header: '',
        width: 56,
        pinned: true,
        align: 'right',
        cell: (session) => (
          <Tooltip label={t('details')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={t('detailsOf', { who: sessionLabel(session) })}
              onClick={() => onOpen(session)}
            >
              <IconListDetails size={16} />
            </ActionIcon>
          </Tooltip>
        ),
      },
    ],
    [t, onOpen],
  );
};
