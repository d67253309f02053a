'use client';

import { useTranslations } from 'next-intl';
import { ProofAlert } from '@/components/patterns/proof-alert';
import type { TokenProof } from './use-token-revocation';

/** The server's check after a revocation: how many tokens ended, and whether any remain. */
export const TokenProofPanel = ({ proof, onClose }: { proof: TokenProof; onClose: () => void }) => {
  const t = useTranslations('tokens.proof');
  const { revoked, remaining, tab } = proof;
  return (
    <ProofAlert
      title={t(remaining === 0 ? 'title' : 'titleRemaining', { count: revoked, remaining })}
      proof={proof}
      auditId={proof.auditId}
      note={
        <>
          {remaining > 0 && t('again')} {t(`note.${tab}`)}
        </>
      }
      onClose={onClose}
    />
  );
};
