import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { DiagnosticsPage } from '@/components/diagnostics/diagnostics-page';

export const generateMetadata = titled('diagnostics.title');

export default function Diagnostics() {
  return (
    <Allowed permission="view">
      <DiagnosticsPage />
    </Allowed>
  );
}
