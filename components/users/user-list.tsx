'use client';

import { IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback, useMemo } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useOpened } from '@/components/patterns/use-opened';
import type { User } from '@/lib/users/schema';
import { ChangeUser, type UserChange } from './change-user';
import { usersQuery } from './queries';
import { useUserColumns } from './user-columns';

interface Chosen {
  user: User;
  change: UserChange;
}

interface UserListProps {
  q: string;
  onSearch: (q: string) => void;
}

export const UserList = ({ q, onSearch }: UserListProps) => {
  const t = useTranslations('users');
  const { data, error, dataUpdatedAt } = useQuery(usersQuery());
  const { about, key, opened, open, close } = useOpened<Chosen>();
  const begin = useCallback((user: User, change: UserChange) => open({ user, change }), [open]);
  const columns = useUserColumns(begin);
  const rows = useMemo(() => {
    const text = q.trim().toLowerCase();
    return (data?.items ?? []).filter(({ name, email }) => `${name}\n${email}`.toLowerCase().includes(text));
  }, [data, q]);
  return (
    <>
      <StaleBanner error={error} valuesFrom={dataUpdatedAt} />
      <FilterBar search={<SearchField label={t('search')} value={q} onChange={onSearch} />} />
      <DataTable
        label={t('label')}
        name="users"
        columns={columns}
        rows={rows}
        rowId={(user) => user.id}
        loading={data === undefined}
        live={[q]}
        empty={
          <EmptyState icon={<IconUsers size={20} />} title={t('empty.title')}>
            {t('empty.text')}
          </EmptyState>
        }
      />
      {about && (
        <ChangeUser key={key} user={about.user} change={about.change} opened={opened} onClose={close} />
      )}
    </>
  );
};
