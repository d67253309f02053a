'use client';

import { Checkbox, Select, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { DuplicateJobAlert } from '@/components/patterns/duplicate-job-alert';
import { confirmationAsked } from '@/components/patterns/undo-confirmation';
import { useCommand } from '@/components/patterns/use-command';
import { type DryRunState, useDryRun } from '@/components/patterns/use-dry-run';
import type { FixableRule, FixResult, RuleReport } from '@/lib/conventions/schema';
import { conventionContracts } from '@/lib/conventions/schema';
import { fixKindOf } from './fix-kind';
import { FixPreview } from './fix-preview';

interface FixDrawerProps {
  rule: RuleReport & { id: FixableRule };
  /** '' for all families. */
  family: string;
  onFamily: (family: string) => void;
  opened: boolean;
  onClose: () => void;
  /** The job started, or was already running. */
  onJob: (jobId: string) => void;
}

/** The button: previews first, then names what is done to how many keys. */
const useVerb = (rule: FixableRule) => {
  const t = useTranslations('conventions.fix');
  return ({ result }: DryRunState<FixResult>, isPreviewing: boolean): string => {
    if (result) return t(`verb.${fixKindOf(rule)}`, { count: result.fixed });
    return t(isPreviewing ? 'previewing' : 'preview');
  };
};

/** Repairs what breaks a rule. A dry run shows what would be done before the button that does it. */
export const FixDrawer = ({ rule, family, onFamily, opened, onClose, onJob }: FixDrawerProps) => {
  const t = useTranslations('conventions.fix');
  const { id } = useConnection();
  const [withoutUndo, setWithoutUndo] = useState(false);
  const target = { rule: rule.id, ...(family && { family }), ...(withoutUndo && { withoutUndo }) };
  const dryRun = useDryRun<FixResult>(JSON.stringify(target));
  const fix = useCommand(conventionContracts.fix, id);
  const verbOf = useVerb(rule.id);
  /** The preview that failed or was cancelled. */
  const [failed, setFailed] = useState<string | null>(null);
  const { jobId, result } = dryRun;
  const isPreviewing = jobId !== null && result === null && jobId !== failed;
  const leave = (to: () => void) => {
    fix.reset();
    dryRun.reset();
    setWithoutUndo(false);
    to();
  };
  const kind = fixKindOf(rule.id);
  return (
    <ChangeDrawer
      operation="conventions.fix"
      opened={opened}
      onClose={() => leave(onClose)}
      inAddress
      title={t('title', { rule: rule.title })}
      size={560}
      verb={verbOf(dryRun, isPreviewing)}
      destructive={result !== null && (kind !== 'addTtl' || withoutUndo)}
      needsConfirmation={result !== null}
      confirm={result === null ? null : confirmationAsked(fix.error)}
      stays="asItIs"
      staysValid={t('stays')}
      blocked={isPreviewing || result?.fixed === 0}
      pending={fix.isPending}
      error={fix.error}
      onSubmit={(words) =>
        fix.mutate(
          { ...target, ...words, dryRun: result === null },
          {
            onSuccess: (answer) =>
              result === null ? dryRun.start(answer.jobId) : leave(() => onJob(answer.jobId)),
          },
        )
      }
    >
      <Stack gap="md">
        <span>{t(`does.${kind}`)}</span>
        <FamilyField
          rule={rule}
          value={family}
          onChange={(next) => {
            fix.reset();
            onFamily(next);
          }}
        />
        <Checkbox
          label={t('withoutUndo')}
          checked={withoutUndo}
          onChange={(event) => {
            fix.reset();
            setWithoutUndo(event.currentTarget.checked);
          }}
        />
        {jobId && <FixPreview key={jobId} jobId={jobId} onResult={dryRun.complete} onFailure={setFailed} />}
        <DuplicateJobAlert error={fix.error} onJob={(running) => leave(() => onJob(running))} />
      </Stack>
    </ChangeDrawer>
  );
};

interface FamilyFieldProps {
  rule: RuleReport;
  value: string;
  onChange: (family: string) => void;
}

/** One family of those that break the rule, or all of them. */
const FamilyField = ({ rule, value, onChange }: FamilyFieldProps) => {
  const t = useTranslations('conventions.fix');
  const families = rule.families.flatMap(({ family, waived }) =>
    family !== null && !waived ? [family] : [],
  );
  const data = value === '' || families.includes(value) ? families : [value, ...families];
  return (
    <Select
      label={t('family')}
      placeholder={t('allFamilies')}
      data={data}
      value={value || null}
      onChange={(family) => onChange(family ?? '')}
      searchable
      clearable
    />
  );
};
