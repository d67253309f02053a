import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { MetricsPanel } from '@/components/exposition/metrics-panel';
import { UsersPage } from '@/components/users/users-page';

export const generateMetadata = titled('users.title');

export default function Users() {
  return (
    <Allowed permission="users:manage">
      <UsersPage belowTokens={<MetricsPanel />} />
    </Allowed>
  );
}
