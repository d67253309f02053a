import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { UsersPage } from '@/components/users/users-page';

export const generateMetadata = titled('users.title');

export default function Users() {
  return (
    <Allowed permission="users:manage">
      <UsersPage />
    </Allowed>
  );
}
