import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { ViewsPage } from '@/components/views/views-page';

export const generateMetadata = titled('views.title');

export default function Views() {
  return (
    <Allowed permission="live:view">
      <ViewsPage />
    </Allowed>
  );
}
