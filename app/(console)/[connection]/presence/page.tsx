import { consolePage } from '@/app/(console)/allowed';
import { firstPage } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { PresencePage } from '@/components/presence/presence-page';
import { presenceContracts } from '@/lib/presence/schema';

export const generateMetadata = titled('presence.title');

export default consolePage('keys:view', <PresencePage />, (connection) => [
  firstPage(presenceContracts.get, connection),
]);
