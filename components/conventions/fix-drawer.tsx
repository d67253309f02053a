'use client';

import { Checkbox, Select } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { JobChangeDrawer } from '@/components/patterns/job-change-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { conventionContracts, type FixableRule, type RuleReport } from '@/lib/conventions/schema';
import { fixKindOf } from './fix-kind';
import { FixResultView, fixResultOf } from './fix-result-view';

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

/** Repairs what breaks a rule. A dry run shows what would be done before the button that does it. */
export const FixDrawer = ({ rule, family, onFamily, ...drawer }: FixDrawerProps) => {
  const t = useTranslations('conventions.fix');
  const { id } = useConnection();
  const fix = useCommand(conventionContracts.fix, id);
  const [withoutUndo, setWithoutUndo] = useState(false);
  const kind = fixKindOf(rule.id);
  return (
    <JobChangeDrawer
      {...drawer}
      change={fix}
      input={{ rule: rule.id, ...(family && { family }), ...(withoutUndo && { withoutUndo }) }}
      dryRun={{
        resultOf: fixResultOf,
        running: t('previewing'),
        verb: ({ fixed }) => t(`verb.${kind}`, { count: fixed }),
        count: ({ fixed }) => fixed,
        children: (result) => <FixResultView result={result} />,
      }}
      onClosed={() => setWithoutUndo(false)}
      inAddress
      title={t('title', { rule: rule.title })}
      verb={t('preview')}
      width="editor"
      destructive={kind !== 'addTtl' || withoutUndo}
      stays="asItIs"
      staysValid={t('stays')}
    >
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
    </JobChangeDrawer>
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
  const tWord = useTranslations('words');
  const families = rule.families.flatMap(({ family, waived }) =>
    family !== null && !waived ? [family] : [],
  );
  const data = value === '' || families.includes(value) ? families : [value, ...families];
  return (
    <Select
      label={tWord('family')}
      placeholder={t('allFamilies')}
      data={data}
      value={value || null}
      onChange={(family) => onChange(family ?? '')}
      searchable
      clearable
    />
  );
};
