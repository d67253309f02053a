import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { ConventionsPage } from '@/components/conventions/conventions-page';

export const generateMetadata = titled('conventions.title');

export default function Conventions() {
  return (
    <Allowed permission="view">
      <ConventionsPage />
    </Allowed>
  );
}
