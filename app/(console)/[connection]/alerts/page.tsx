import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { AlertsPage } from '@/components/alerts/alerts-page';

export const generateMetadata = titled('alerts.title');

export default function Alerts() {
  return (
    <Allowed permission="view">
      <AlertsPage />
    </Allowed>
  );
}
