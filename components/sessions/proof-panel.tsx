'use client';

import { useTranslations } from 'next-intl';
import { ProofAlert } from '@/components/patterns/proof-alert';
import { visibleText } from '@/lib/visible-text';
import type { Proof } from './use-revocation';
import { WhatStaysValid } from './what-stays-valid';

interface ProofPanelProps {
  proof: Proof;
  onClose: () => void;
}

/** The title after a verified revocation counts what its users still have. */
const titleOf = ({ unverified, remaining, revoked, stillValidComplete }: Proof['result'], left: number) => {
  if (unverified > 0) return 'titleUnverified';
  if (remaining > 0) return 'titleRemaining';
  if (left > 0) return 'titleLeft';
  return stillValidComplete || revoked === 0 ? 'title' : 'titleRevoked';
};

/** The server's check after a revocation: how many ended, how many remain, and what is still valid. */
export const ProofPanel = ({ proof, onClose }: ProofPanelProps) => {
  const t = useTranslations('sessions.proof');
  const { result, names } = proof;
  const { revoked, remaining, unverified, stillValid } = result;
  const others = stillValid.filter(({ kind }) => kind === 'session' || kind === 'legacySession');
  const left = others.reduce((sum, { count }) => sum + count, 0);
  const [owner, ...more] = new Set(others.map(({ userId }) => userId));
  const title = titleOf(result, left);
  const who = owner === undefined ? '' : visibleText(names.get(owner) ?? `#${owner}`, 40);
  return (
    <ProofAlert
      title={t(title, { count: revoked, remaining, unverified, left, who, more: more.length })}
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
