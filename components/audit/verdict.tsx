'use client';

import { Alert, Anchor } from '@mantine/core';
import { IconShieldCheck, IconShieldX } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { auditContracts } from '@/lib/audit/schema';
import type { Result } from '@/lib/contract';

interface VerdictProps {
  verdict: Result<typeof auditContracts.verify>;
  onEntry: (id: string) => void;
  onClose: () => void;
}

/** Result of a verification, with the first bad entry. */
export const Verdict = ({ verdict, onEntry, onClose }: VerdictProps) => {
  const t = useTranslations('audit.verdict');
  const { ok, entries, firstBadId, problem } = verdict;
  return (
    <Alert
      role="status"
      mb="md"
      color={ok ? 'green' : 'red'}
      icon={ok ? <IconShieldCheck size={18} /> : <IconShieldX size={18} />}
      title={ok ? t('holds', { count: entries }) : t('broken')}
      withCloseButton
      closeButtonLabel={t('close')}
      onClose={onClose}
    >
      {ok ? (
        t('meaning')
      ) : (
        <>
          {t('problem', { problem: problem ?? '', count: entries })}{' '}
          {firstBadId && (
            <Anchor component="button" size="sm" onClick={() => onEntry(firstBadId)}>
              {t('firstBad')}
            </Anchor>
          )}
        </>
      )}
    </Alert>
  );
};
