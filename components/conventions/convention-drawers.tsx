'use client';

import { useTranslations } from 'next-intl';
import { JobDrawer } from '@/components/patterns/job-drawer-on-demand';
import { onDemand } from '@/components/patterns/on-demand';
import { TextLink } from '@/components/patterns/text-link';
import { useLast } from '@/components/patterns/use-last';
import { useMay } from '@/components/patterns/viewer';
import type { ConventionsReport, FixableRule, RuleId, RuleReport } from '@/lib/conventions/schema';
import type { Job } from '@/lib/jobs/schema';
import type { ConventionFields, SetConventionFields } from './address';
import { isFixable } from './fix-kind';
import { FixResultView, fixResultOf } from './fix-result-view';

const FixDrawer = onDemand(async () => (await import('./fix-drawer')).FixDrawer);
const RuleDrawer = onDemand(async () => (await import('./rule-drawer')).RuleDrawer);
const UnwaiveDrawer = onDemand(async () => (await import('./unwaive-drawer')).UnwaiveDrawer);
const WaiveDrawer = onDemand(async () => (await import('./waive-drawer')).WaiveDrawer);

interface ConventionDrawersProps {
  report: ConventionsReport | undefined;
  url: ConventionFields;
  setUrl: SetConventionFields;
  ruleTitle: (rule: RuleId) => string;
}

const hasFix = (rule: RuleReport | null): rule is RuleReport & { id: FixableRule } =>
  rule?.fixable === true && isFixable(rule.id);

/** The drawers of a rule, of its changes and of their job. One is open at a time; closing one shows the rule again. */
export const ConventionDrawers = ({ report, url, setUrl, ruleTitle }: ConventionDrawersProps) => {
  const tWord = useTranslations('words');
  const mayFix = useMay('caches:invalidate');
  const mayWaive = useMay('users:manage');
  const rule = report?.rules.find(({ id }) => id === url.rule) ?? null;
  const waiver = report?.waivers.find(({ id, source }) => id === url.waiver && source === 'console') ?? null;
  // A drawer keeps its content while it closes.
  const shown = useLast(rule);
  const isEnding = url.job === '' && waiver !== null && mayWaive;
  const doing = url.job !== '' || isEnding || rule === null ? '' : url.do;
  const isFixing = doing === 'fix' && mayFix && hasFix(rule);
  const isWaiving = doing === 'waive' && mayWaive;
  const closeChange = () => setUrl({ do: '', family: '' });
  return (
    <>
      <RuleDrawer
        rule={rule}
        opened={rule !== null && url.job === '' && !isEnding && !isFixing && !isWaiving}
        waivers={report?.waivers ?? []}
        onClose={() => setUrl({ rule: '', do: '', family: '' })}
        onFix={() => setUrl({ do: 'fix' })}
        onWaive={() => setUrl({ do: 'waive' })}
        onUnwaive={({ id }) => setUrl({ waiver: id })}
      />
      {hasFix(shown) && (
        <FixDrawer
          key={`fix ${shown.id}`}
          rule={shown}
          family={url.family}
          onFamily={(family) => setUrl({ family })}
          opened={isFixing}
          onClose={closeChange}
          onJob={(job) => setUrl({ do: '', family: '', job })}
        />
      )}
      {shown && (
        <WaiveDrawer key={`waive ${shown.id}`} rule={shown} opened={isWaiving} onClose={closeChange} />
      )}
      <UnwaiveDrawer
        waiver={waiver}
        ruleTitle={ruleTitle}
        opened={isEnding}
        onClose={() => setUrl({ waiver: '' })}
      />
      <JobDrawer
        jobId={url.job || null}
        onClose={() => setUrl({ job: '' })}
        details={(job) => <FixDetails job={job} />}
        links={<TextLink href="/jobs">{tWord('allJobs')}</TextLink>}
      />
    </>
  );
};

/** What a repair did, where the job is one. */
const FixDetails = ({ job }: { job: Job }) => {
  const result = fixResultOf(job.result);
  return result && <FixResultView result={result} />;
};
