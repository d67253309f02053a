import { Allowed } from '@/app/(console)/allowed';
import { firstPage, type PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { sessionStatsQuery } from '@/components/patterns/session-stats-query';
import { SessionsPage } from '@/components/sessions/sessions-page';
import { sessionContracts } from '@/lib/sessions/schema';

export const generateMetadata = titled('sessions.title');

const first = (connection: string) => [
  sessionStatsQuery(connection),
  firstPage(sessionContracts.list, connection),
];

export default function Sessions(page: PageProps) {
  return (
    <Allowed permission="sessions:view" first={first} {...page}>
      <SessionsPage />
    </Allowed>
  );
}
