'use client';

import { IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback, useMemo, useState } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { StaleBanner } from '@/components/patterns/stale-banner';
import type { User } from '@/lib/accounts/schema';
import { ChangeUser, type UserChange } from './change-user';
import { usersQuery } from './queries';
import { useUserColumns } from './user-columns';

interface Chosen {
  user: User;
  change: UserChange;
  /** Each opening is another: what was typed for the last one is gone. */
  number: number;
}

interface UserListProps {
  q: string;
  onSearch: (q: string) => void;
}

export const UserList = ({ q, onSearch }: UserListProps) => {
  const t = useTranslations('users');
  const { data, error, isPending, dataUpdatedAt } = useQuery(usersQuery());
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [opened, setOpened] = useState(false);
  const begin = useCallback((user: User, change: UserChange) => {
    setChosen((last) => ({ user, change, number: (last?.number ?? 0) + 1 }));
    setOpened(true);
  }, []);
  const columns = useUserColumns(begin);
  const rows = useMemo(() => {
    const text = q.trim().toLowerCase();
    return (data?.items ?? []).filter(({ name, email }) => `${name}\n${email}`.toLowerCase().includes(text));
  }, [data, q]);
  return (
    <>
      <StaleBanner error={error} valuesFrom={dataUpdatedAt} />
      <FilterBar>
        <SearchField label={t('search')} value={q} onChange={onSearch} />
      </FilterBar>
      <DataTable
        label={t('label')}
        name="users"
        columns={columns}
        rows={rows}
        rowId={(user) => user.id}
        loading={isPending}
        empty={
          <EmptyState icon={<IconUsers size={20} />} title={t('empty.title')}>
            {t('empty.text')}
          </EmptyState>
        }
      />
      {chosen && (
        <ChangeUser
          key={chosen.number}
          user={chosen.user}
          change={chosen.change}
          opened={opened}
          onClose={() => setOpened(false)}
        />
      )}
    </>
  );
};
