import { Allowed } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { KeysPage } from '@/components/keys/keys-page';
import { keyQueries } from '@/components/keys/queries';
import { familiesQuery } from '@/components/patterns/families-query';

export const generateMetadata = titled('keys.title');

const first = (connection: string) => [familiesQuery(connection), keyQueries.list(connection, {})];

export default function Keys(page: PageProps) {
  return (
    <Allowed permission="keys:view" first={first} {...page}>
      <KeysPage />
    </Allowed>
  );
}
