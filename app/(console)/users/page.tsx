import { consolePage } from '@/app/(console)/allowed';
import { firstPage } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { MetricsPanel } from '@/components/exposition/metrics-panel';
import { UsersPage } from '@/components/users/users-page';
import { userContracts } from '@/lib/users/schema';

export const generateMetadata = titled('users.title');

export default consolePage('users:manage', <UsersPage belowTokens={<MetricsPanel />} />, () => [
  firstPage(userContracts.list, undefined),
]);
