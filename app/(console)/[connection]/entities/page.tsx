import { Allowed } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { entityKindsQuery } from '@/components/patterns/entity-kinds-query';
import { Explorer } from './explorer';

// The title omits the entity, which would otherwise be in the browser's history.
export const generateMetadata = titled('entities.title');

const first = (connection: string) => [entityKindsQuery(connection)];

export default function Entities(page: PageProps) {
  return (
    <Allowed permission="keys:view" first={first} {...page}>
      <Explorer />
    </Allowed>
  );
}
