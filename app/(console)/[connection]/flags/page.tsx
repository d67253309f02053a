import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { FlagsPage } from '@/components/flags/flags-page';

export const generateMetadata = titled('flags.title');

export default function Flags() {
  return (
    <Allowed permission="flags:view">
      <FlagsPage />
    </Allowed>
  );
}
