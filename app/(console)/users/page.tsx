import { consolePage } from '@/app/(console)/allowed';
import { firstPage } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { MetricsPanel } from '@/components/exposition/metrics-panel';
import { UsersPage } from '@/components/users/users-page';
import { env } from '@/lib/configuration';
import { userContracts } from '@/lib/users/schema';

export const generateMetadata = titled('users.title');

const Users = () => <UsersPage belowTokens={<MetricsPanel />} canMail={env().mail !== null} />;

export default consolePage('users:manage', Users, () => [firstPage(userContracts.list, undefined)]);
