import { Allowed } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { AlertsPage } from '@/components/alerts/alerts-page';
import { alertQueries } from '@/components/alerts/queries';

export const generateMetadata = titled('alerts.title');

const first = (connection: string) => [alertQueries.rules(connection)];

export default function Alerts(page: PageProps) {
  return (
    <Allowed permission="view" first={first} {...page}>
      <AlertsPage />
    </Allowed>
  );
}
