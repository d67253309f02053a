import { useMemo } from 'react';
import { useServerText } from '@/components/patterns/use-server-text';
import type { ConventionsReport } from '@/lib/conventions/schema';

/** The report with its rules and checklist in the reader's language. */
export const useTranslatedReport = (report: ConventionsReport | undefined): ConventionsReport | undefined => {
  const serverText = useServerText();
  return useMemo(
    () =>
      report && {
        ...report,
        rules: report.rules.map((rule) => ({
          ...rule,
          title: serverText(`rule.${rule.id}.title`, rule.title),
          why: serverText(`rule.${rule.id}.why`, rule.why),
          how: serverText(`rule.${rule.id}.how`, rule.how),
          remedy: serverText(`rule.${rule.id}.remedy`, rule.remedy),
        })),
        checklist: report.checklist.map((item) => ({
          ...item,
          title: serverText(`checklist.${item.id}`, item.title),
        })),
      },
    [report, serverText],
  );
};
