import { Allowed } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { ConventionsPage } from '@/components/conventions/conventions-page';
import { conventionQueries } from '@/components/conventions/queries';

export const generateMetadata = titled('conventions.title');

const first = (connection: string) => [conventionQueries.report(connection)];

export default function Conventions(page: PageProps) {
  return (
    <Allowed permission="view" first={first} {...page}>
      <ConventionsPage />
    </Allowed>
  );
}
