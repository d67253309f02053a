import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { Explorer } from './explorer';

// The title names no entity: it would be in the browser's history.
export const generateMetadata = titled('entities.title');

export default function Entities() {
  return (
    <Allowed permission="keys:view">
      <Explorer />
    </Allowed>
  );
}
