import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { ConventionsPage } from '@/components/conventions/conventions-page';
import { conventionQueries } from '@/components/conventions/queries';

export const generateMetadata = titled('conventions.title');

export default consolePage('view', <ConventionsPage />, (connection) => [
  conventionQueries.report(connection),
]);
