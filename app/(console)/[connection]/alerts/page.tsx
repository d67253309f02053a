import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { AlertsPage } from '@/components/alerts/alerts-page';
import { alertQueries } from '@/components/alerts/queries';

export const generateMetadata = titled('alerts.title');

export default consolePage('view', <AlertsPage />, (connection) => [alertQueries.rules(connection)]);
