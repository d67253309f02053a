import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { AnalysisPage } from '@/components/analysis/analysis-page';
import { analysisQueries } from '@/components/analysis/queries';
import { familiesQuery } from '@/components/patterns/families-query';

export const generateMetadata = titled('analysis.title');

export default consolePage('view', <AnalysisPage />, (connection) => [
  familiesQuery(connection),
  analysisQueries.list(connection),
]);
