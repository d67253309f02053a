import { getTranslations } from 'next-intl/server';
import { Allowed } from '@/components/patterns/allowed';
import { UsersPage } from '@/components/users/users-page';

export const generateMetadata = async () => {
  const t = await getTranslations('users');
  return { title: t('title') };
};

export default function Users() {
  return (
    <Allowed permission="users:manage">
      <UsersPage />
    </Allowed>
  );
}
