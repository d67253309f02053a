import { Allowed } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { AnalysisPage } from '@/components/analysis/analysis-page';
import { analysisQueries } from '@/components/analysis/queries';
import { familiesQuery } from '@/components/patterns/families-query';

export const generateMetadata = titled('analysis.title');

const first = (connection: string) => [familiesQuery(connection), analysisQueries.list(connection)];

export default function Analysis(page: PageProps) {
  return (
    <Allowed permission="view" first={first} {...page}>
      <AnalysisPage />
    </Allowed>
  );
}
