import { Allowed } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { serverQueries } from '@/components/server/queries';
import { ServerPage } from '@/components/server/server-page';

export const generateMetadata = titled('server.title');

const first = (connection: string) => [serverQueries.server(connection, '')];

export default function Server(page: PageProps) {
  return (
    <Allowed permission="live:view" first={first} {...page}>
      <ServerPage />
    </Allowed>
  );
}
