import { titled } from '@/app/titled';
import { Allowed } from '@/components/patterns/allowed';
import { UsersPage } from '@/components/users/users-page';

export const generateMetadata = titled('users.title');

export default function Users() {
  return (
    <Allowed permission="users:manage">
      <UsersPage />
    </Allowed>
  );
}
