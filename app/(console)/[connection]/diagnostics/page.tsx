import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { DiagnosticsPage } from '@/components/diagnostics/diagnostics-page';
import { diagnosticsQuery } from '@/components/diagnostics/queries';

export const generateMetadata = titled('diagnostics.title');

export default consolePage('view', <DiagnosticsPage />, (connection) => [diagnosticsQuery(connection)]);
