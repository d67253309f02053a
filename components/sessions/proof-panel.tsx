'use client';

import { useTranslations } from 'next-intl';
import { ProofAlert } from '@/components/patterns/proof-alert';
import type { Proof } from './use-revocation';
import { WhatStaysValid } from './what-stays-valid';

interface ProofPanelProps {
  proof: Proof;
  onClose: () => void;
}

/** The server's check after a revocation: how many ended, how many remain, and what is still valid. */
export const ProofPanel = ({ proof, onClose }: ProofPanelProps) => {
  const t = useTranslations('sessions.proof');
  const { result, names } = proof;
  const { revoked, remaining, unverified, stillValid } = result;
  const title = unverified > 0 ? 'titleUnverified' : remaining > 0 ? 'titleRemaining' : 'title';
  return (
    <ProofAlert
      title={t(title, { count: revoked, remaining, unverified })}
      proof={result}
      more={[
        { label: t('users'), value: result.users },
        { label: t('oauth'), value: result.alsoRevoked.oauth },
        { label: t('verification'), value: result.alsoRevoked.verification },
      ]}
      auditId={result.auditId}
      onClose={onClose}
    >
      <strong>{t('stillValid')}</strong>{' '}
      {stillValid.length > 0 ? <WhatStaysValid entries={stillValid} names={names} /> : t('nothing')}
      {result.stillValidCut && <div>{t('stillValidCut')}</div>}
      {!result.stillValidComplete && <div>{t('stillValidIncomplete')}</div>}
    </ProofAlert>
  );
};
