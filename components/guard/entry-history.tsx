'use client';

import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { useActionWords } from '@/components/patterns/action-words';
import { ChangeHistory, HistoryDrawer } from '@/components/patterns/change-history';
import { useConnection } from '@/components/patterns/connection';
import { readQuery } from '@/components/patterns/read-query';
import { guardContracts } from '@/lib/guard/schema';
import type { GuardSet } from './pasted';

interface EntryHistoryProps extends RowDrawerProps<{ member: string }> {
  set: GuardSet;
}

/** Who banned an address or blocked a project, changed that, or ended it. */
export const EntryHistory = ({ set, row, opened, onClose }: EntryHistoryProps) => (
  <HistoryDrawer
    name={opened ? (row?.member ?? null) : null}
    subject={set === 'bans' ? 'address' : 'project'}
    onClose={onClose}
  >
    {(name) => <History set={set} name={name} />}
  </HistoryDrawer>
);

const History = ({ set, name }: { set: GuardSet; name: string }) => {
  const t = useTranslations('guard.entryHistory');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const words = useActionWords();
  const query = useQuery(readQuery(guardContracts.entryHistory, id, { set, entry: name }));
  return (
    <ChangeHistory
      query={query}
      title={({ action }) => words(action)}
      difference={() => null}
      undoable={() => null}
      empty={{ title: tWord('noChanges'), text: t('emptyText') }}
    />
  );
};
