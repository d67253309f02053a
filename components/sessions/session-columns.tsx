'use client';

import { IconListDetails } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn, codeColumn, textColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { RowButton } from '@/components/data-table/row-button';
import { HostileText } from '@/components/patterns/hostile-text';
import type { Session } from '@/lib/sessions/schema';
import { visibleText } from '@/lib/visible-text';
import { DeviceCell, ExpiresIn, StateBadges, UserName } from './session-parts';

/** A session in labels: "liwei #8130", "#8130", or its fingerprint. */
export const sessionLabel = ({ username, userId, fingerprint }: Session): string => {
  const name = username ? visibleText(username, 40) : null;
  const id = userId ? `#${userId}` : null;
  return [name, id].filter((part) => part !== null).join(' ') || fingerprint;
};

/** Where the token's claims and Redis disagree; null if they agree or the token has no claims. */
const claimsOf = ({ jwt }: Session): string | null =>
  jwt && jwt.disagreements.length > 0 ? jwt.disagreements.join(' ') : null;

export const useSessionColumns = (onOpen: (session: Session) => void): DataColumn<Session>[] => {
  const t = useTranslations('sessions');
  const tWord = useTranslations('words');
  return useMemo(
    (): DataColumn<Session>[] => [
      {
        id: 'user',
        header: tWord('user'),
        width: 155,
        pinned: true,
        cell: (session) => <UserName session={session} />,
        value: (session) => session.username,
      },
      {
        id: 'userId',
        header: t('column.userId'),
        width: 90,
        align: 'right',
        hiddenAtFirst: true,
      },
      {
        id: 'device',
        header: t('filter.device'),
        width: 200,
        cell: (session) => <DeviceCell session={session} />,
        value: (session) => session.device.label,
      },
      textColumn({
        id: 'address',
        header: tWord('address'),
        width: 140,
        least: 140,
        max: 45,
        of: (session) => session.device.address,
      }),
      timeColumn({
        id: 'lastActivity',
        header: t('column.lastActivity'),
        width: 120,
        sortable: true,
      }),
      timeColumn({
        id: 'created',
        minor: true,
        header: t('column.created'),
        width: 100,
        sortable: true,
        of: (session) => session.createdAt,
      }),
      {
        id: 'expiry',
        header: tWord('expiresIn'),
        width: 105,
        sortable: true,
        cell: (session) => <ExpiresIn session={session} />,
        value: (session) => session.expiresAt,
      },
      {
        id: 'states',
        header: tWord('state'),
        width: 182,
        cell: (session) => <StateBadges session={session} />,
        value: (session) => session.states.join(' '),
      },
      {
        id: 'indexed',
        minor: true,
        header: t('column.indexed'),
        width: 68,
        cell: (session) => t(session.indexed ? 'indexed.yes' : 'indexed.no'),
      },
      textColumn({
        id: 'userAgent',
        header: t('drawer.userAgent'),
        width: 260,
        hiddenAtFirst: true,
        max: 200,
        of: (session) => session.device.userAgent,
      }),
      {
        id: 'claims',
        header: t('column.claims'),
        width: 220,
        hiddenAtFirst: true,
        cell: (session) => <HostileText max={200}>{claimsOf(session)}</HostileText>,
        value: claimsOf,
      },
      codeColumn({
        id: 'fingerprint',
        header: t('column.fingerprint'),
        width: 110,
        hiddenAtFirst: true,
      }),
      actionsColumn({
        width: 50,
        cell: (session) => (
          <RowButton
            hint={tWord('details')}
            label={t('detailsOf', { who: sessionLabel(session) })}
            icon={<IconListDetails size={16} />}
            onClick={() => onOpen(session)}
          />
        ),
      }),
    ],
    [t, onOpen, tWord],
  );
};
