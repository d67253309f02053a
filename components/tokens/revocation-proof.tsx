'use client';

import { ProofAlert } from '@/components/patterns/proof-alert';
import type { Texts } from '@/components/patterns/use-texts';
import type { TokenRevocation } from './revoke-tokens-drawer';

/** The server's check after a revocation: how many tokens ended, and whether any remain. */
export const RevocationProof = ({ t, change }: { t: Texts; change: TokenRevocation }) => {
  if (!change.proof) return null;
  const { result } = change.proof;
  const { revoked, remaining } = result;
  return (
    <ProofAlert
      title={t(remaining === 0 ? 'bulk.done' : 'bulk.doneRemaining', { count: revoked, remaining })}
      proof={result}
      auditId={result.auditId}
      note={
        <>
          {remaining > 0 && t('bulk.again')} {t('bulk.note')}
        </>
      }
      onClose={change.dismissProof}
    />
  );
};
