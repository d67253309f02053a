import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { AccountPage } from '@/components/access/account-page';

export const generateMetadata = titled('words.yourAccount');

export default consolePage('signed-in', <AccountPage />);
