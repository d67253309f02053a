import { Allowed } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { EnvPage } from '@/components/env/env-page';
import { envQueries } from '@/components/env/queries';

export const generateMetadata = titled('env.title');

const first = (connection: string) => [envQueries.list(connection)];

export default function Env(page: PageProps) {
  return (
    <Allowed permission="env:view" first={first} {...page}>
      <EnvPage />
    </Allowed>
  );
}
