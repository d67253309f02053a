'use client';

import { Button, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { DataTable } from '@/components/data-table/data-table';
import type { DataTableProps } from '@/components/data-table/table-props';
import { onDemand } from '@/components/patterns/on-demand';
import { useOpened } from '@/components/patterns/use-opened';
import { useMay } from '@/components/patterns/viewer';
import type { Session } from '@/lib/sessions/schema';
import { sessionLabel, useSessionColumns } from './session-columns';
import type { Revocation } from './use-revocation';

const SessionDrawer = onDemand(async () => (await import('./session-drawer')).SessionDrawer);

/** The maximum of handles in one request. */
const MAX_SELECTED = 500;

interface SessionTableProps
  extends Pick<
    DataTableProps<Session>,
    | 'label'
    | 'rows'
    | 'live'
    | 'loading'
    | 'placeholder'
    | 'hasMore'
    | 'fetchingMore'
    | 'onMore'
    | 'sorting'
    | 'empty'
  > {
  revocation: Revocation;
}

/** A table of sessions with details, selection and revocation. */
export const SessionTable = ({ revocation, ...table }: SessionTableProps) => {
  const t = useTranslations('sessions');
  const mayRevoke = useMay('sessions:revoke');
  const { about, opened, open, close } = useOpened<Session>();
  const columns = useSessionColumns(open);
  const actions = (sessions: Session[], clear: () => void) =>
    sessions.length > MAX_SELECTED ? (
      <Text size="sm">{t('tooMany', { most: MAX_SELECTED })}</Text>
    ) : (
      <Button
        size="xs"
        color="red"
        onClick={() => revocation.ask({ kind: 'sessions', sessions, onRevoked: clear })}
      >
        {t('revoke.verb', { count: sessions.length })}
      </Button>
    );
  return (
    <>
      <DataTable
        {...table}
        name="sessions"
        savesViews
        columns={columns}
        rowId={(session) => session.fingerprint}
        onOpen={open}
        {...(mayRevoke && {
          selection: {
            rowLabel: (session: Session) => t('select', { who: sessionLabel(session) }),
            canSelect: (session: Session) => session.handle !== null,
            actions,
          },
        })}
      />
      <SessionDrawer
        session={about}
        opened={opened}
        onClose={close}
        onRevoke={(session) => {
          close();
          revocation.ask({ kind: 'sessions', sessions: [session] });
        }}
      />
    </>
  );
};
