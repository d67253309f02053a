import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { entityKindsQuery } from '@/components/patterns/entity-kinds-query';
import { Explorer } from './explorer';

// The title omits the entity, which would otherwise be in the browser's history.
export const generateMetadata = titled('entities.title');

export default consolePage('keys:view', <Explorer />, (connection) => [entityKindsQuery(connection)]);
