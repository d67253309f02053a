'use client';

import { Badge } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { RuleState, Severity } from '@/lib/conventions/schema';

const STATE_COLORS: Record<RuleState, string> = {
  passed: 'green',
  failed: 'red',
  unknown: 'gray',
  waived: 'indigo',
  off: 'gray',
};

const SEVERITY_COLORS: Record<Severity, string> = { error: 'red', warning: 'orange', info: 'gray' };

export const StateBadge = ({ state }: { state: RuleState }) => {
  const t = useTranslations('conventions.state');
  return <Badge color={STATE_COLORS[state]}>{t(state)}</Badge>;
};

export const SeverityBadge = ({ severity }: { severity: Severity }) => {
  const t = useTranslations('conventions.severity');
  return (
    <Badge color={SEVERITY_COLORS[severity]} variant="outline">
      {t(severity)}
    </Badge>
  );
};
