import { consolePage } from '@/app/(console)/allowed';
import { firstPage } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { LocksPage } from '@/components/locks/locks-page';
import { lockContracts } from '@/lib/locks/schema';

export const generateMetadata = titled('locks.title');

export default consolePage('live:view', <LocksPage />, (connection) => [
  firstPage(lockContracts.list, connection),
]);
