import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { serverQueries } from '@/components/server/queries';
import { ServerPage } from '@/components/server/server-page';

export const generateMetadata = titled('server.title');

export default consolePage('live:view', <ServerPage />, (connection) => [
  serverQueries.server(connection, ''),
]);
