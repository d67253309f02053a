import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { Explorer } from './explorer';

// The title omits the entity, which would otherwise be in the browser's history.
export const generateMetadata = titled('entities.title');

export default function Entities() {
  return (
    <Allowed permission="keys:view">
      <Explorer />
    </Allowed>
  );
}
