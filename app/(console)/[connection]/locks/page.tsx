import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { LocksPage } from '@/components/locks/locks-page';

export const generateMetadata = titled('locks.title');

export default function Locks() {
  return (
    <Allowed permission="live:view">
      <LocksPage />
    </Allowed>
  );
}
