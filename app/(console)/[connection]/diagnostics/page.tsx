import { Allowed } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { DiagnosticsPage } from '@/components/diagnostics/diagnostics-page';
import { diagnosticsQuery } from '@/components/diagnostics/queries';

export const generateMetadata = titled('diagnostics.title');

const first = (connection: string) => [diagnosticsQuery(connection)];

export default function Diagnostics(page: PageProps) {
  return (
    <Allowed permission="view" first={first} {...page}>
      <DiagnosticsPage />
    </Allowed>
  );
}
