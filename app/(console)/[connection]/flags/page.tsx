import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { FlagsPage } from '@/components/flags/flags-page';
import { flagQueries } from '@/components/flags/queries';

export const generateMetadata = titled('flags.title');

export default consolePage('flags:view', <FlagsPage />, (connection) => [flagQueries.list(connection)]);
