'use client';

import { Alert } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useConnectionOrNull } from './connection';
import { useViewer } from './viewer';

/** Says beforehand that a change needs approval by a second user, or from how many things on. */
export const ApprovalNotice = ({ operation }: { operation: string | undefined }) => {
  const t = useTranslations('patterns.approval');
  const { role } = useViewer();
  const approvals = useConnectionOrNull()?.approvals;
  if (!operation || !approvals) return null;
  if (approvals.operations.includes(operation)) return <Alert color="gray">{t('needed')}</Alert>;
  const limit = approvals.limits[role]?.[operation];
  return limit === undefined ? null : <Alert color="gray">{t('neededAbove', { limit })}</Alert>;
};
