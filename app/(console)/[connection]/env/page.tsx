import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { EnvPage } from '@/components/env/env-page';
import { envQueries } from '@/components/env/queries';

export const generateMetadata = titled('env.title');

export default consolePage('env:view', <EnvPage />, (connection) => [envQueries.list(connection)]);
