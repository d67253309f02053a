import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { FindPage } from '@/components/shell/find/find-page';

export const generateMetadata = titled('shell.find.title');

export default consolePage('view', <FindPage />);
