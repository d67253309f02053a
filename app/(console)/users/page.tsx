import { Allowed } from '@/app/(console)/allowed';
import { firstPage, type PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { MetricsPanel } from '@/components/exposition/metrics-panel';
import { UsersPage } from '@/components/users/users-page';
import { userContracts } from '@/lib/users/schema';

export const generateMetadata = titled('users.title');

const first = () => [firstPage(userContracts.list, undefined)];

export default function Users(page: PageProps) {
  return (
    <Allowed permission="users:manage" first={first} {...page}>
      <UsersPage belowTokens={<MetricsPanel />} />
    </Allowed>
  );
}
