import { useMemo } from 'react';
import { useSaid } from '@/components/patterns/use-said';
import type { ConventionsReport } from '@/lib/conventions/schema';

/** The report with its rules and checklist in the reader's language. */
export const useSaidReport = (report: ConventionsReport | undefined): ConventionsReport | undefined => {
  const said = useSaid();
  return useMemo(
    () =>
      report && {
        ...report,
        rules: report.rules.map((rule) => ({
          ...rule,
          title: said(`rule.${rule.id}.title`, rule.title),
          why: said(`rule.${rule.id}.why`, rule.why),
          how: said(`rule.${rule.id}.how`, rule.how),
          remedy: said(`rule.${rule.id}.remedy`, rule.remedy),
        })),
        checklist: report.checklist.map((item) => ({
          ...item,
          title: said(`checklist.${item.id}`, item.title),
        })),
      },
    [report, said],
  );
};
