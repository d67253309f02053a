import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { KeysPage } from '@/components/keys/keys-page';
import { keyQueries } from '@/components/keys/queries';
import { familiesQuery } from '@/components/patterns/families-query';

export const generateMetadata = titled('keys.title');

export default consolePage('keys:view', <KeysPage />, (connection) => [
  familiesQuery(connection),
  keyQueries.list(connection, {}),
]);
