import { Allowed } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { FlagsPage } from '@/components/flags/flags-page';
import { flagQueries } from '@/components/flags/queries';

export const generateMetadata = titled('flags.title');

const first = (connection: string) => [flagQueries.list(connection)];

export default function Flags(page: PageProps) {
  return (
    <Allowed permission="flags:view" first={first} {...page}>
      <FlagsPage />
    </Allowed>
  );
}
