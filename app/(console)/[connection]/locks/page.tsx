import { Allowed } from '@/app/(console)/allowed';
import { firstPage, type PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { LocksPage } from '@/components/locks/locks-page';
import { lockContracts } from '@/lib/locks/schema';

export const generateMetadata = titled('locks.title');

const first = (connection: string) => [firstPage(lockContracts.list, connection)];

export default function Locks(page: PageProps) {
  return (
    <Allowed permission="live:view" first={first} {...page}>
      <LocksPage />
    </Allowed>
  );
}
