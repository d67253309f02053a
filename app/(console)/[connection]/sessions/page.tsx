import { consolePage } from '@/app/(console)/allowed';
import { firstPage } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { sessionStatsQuery } from '@/components/patterns/session-stats-query';
import { SessionsPage } from '@/components/sessions/sessions-page';
import { sessionContracts } from '@/lib/sessions/schema';

export const generateMetadata = titled('sessions.title');

export default consolePage('sessions:view', <SessionsPage />, (connection) => [
  sessionStatsQuery(connection),
  firstPage(sessionContracts.list, connection),
]);
