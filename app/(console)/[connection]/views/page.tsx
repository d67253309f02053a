import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { ViewsPage } from '@/components/views/views-page';

export const generateMetadata = titled('views.title');

export default consolePage('live:view', <ViewsPage />);
