import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { AnalysisPage } from '@/components/analysis/analysis-page';

export const generateMetadata = titled('analysis.title');

export default function Analysis() {
  return (
    <Allowed permission="view">
      <AnalysisPage />
    </Allowed>
  );
}
