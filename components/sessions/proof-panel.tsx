'use client';

import { Alert, Anchor, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconHourglass } from '@tabler/icons-react';
import Link from 'next/link';
import { useTranslations } from 'next-intl';
import { useEffect, useRef } from 'react';
import { useMay } from '@/components/patterns/viewer';
import { SessionFigures } from './session-figures';
import { StillValidList } from './still-valid';
import { namesOf, type Proof, type RevokeResult, type RevokeTarget } from './use-revocation';

type Proven = Exclude<RevokeResult, { jobId: string }>;

/** What a revocation came to: the server's proof, or the job that goes on with it. */
export const ProofPanel = ({ proof, onClose }: { proof: Proof; onClose: () => void }) => {
  const box = useRef<HTMLDivElement>(null);
  const { result, target } = proof;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each proof is looked at anew
  useEffect(() => {
    // Newer browsers answer with a promise: an effect must not return it.
    box.current?.scrollIntoView({ block: 'nearest' });
  }, [proof]);
  return (
    <div ref={box}>
      {'jobId' in result ? (
        <Queued jobId={result.jobId} onClose={onClose} />
      ) : (
        <Proved result={result} target={target} onClose={onClose} />
      )}
    </div>
  );
};

const Queued = ({ jobId, onClose }: { jobId: string; onClose: () => void }) => {
  const t = useTranslations('sessions.proof');
  return (
    <Alert
      mb="md"
      role="status"
      icon={<IconHourglass size={18} />}
      title={t('queued')}
      withCloseButton
      closeButtonLabel={t('close')}
      onClose={onClose}
    >
      {t('queuedText')}{' '}
      <Anchor component={Link} size="sm" href={`/jobs?job=${jobId}`} underline="always">
        {t('job')}
      </Anchor>
    </Alert>
  );
};

interface ProvedProps {
  result: Proven;
  target: RevokeTarget;
  onClose: () => void;
}

/** What the server found when it looked again: how many ended, whether any remain, and what still lets them in. */
const Proved = ({ result, target, onClose }: ProvedProps) => {
  const t = useTranslations('sessions.proof');
  const maySeeAudit = useMay('audit:view');
  const clean = result.remaining === 0;
  return (
    <Alert
      mb="md"
      role="status"
      color={clean ? 'green' : 'orange'}
      icon={clean ? <IconCircleCheck size={18} /> : <IconAlertTriangle size={18} />}
      title={t(clean ? 'title' : 'titleRemaining', { count: result.revoked, remaining: result.remaining })}
      withCloseButton
      closeButtonLabel={t('close')}
      onClose={onClose}
    >
      <SessionFigures
        figures={[
          { label: t('matched'), value: result.matched },
          { label: t('revoked'), value: result.revoked },
          { label: t('alreadyGone'), value: result.alreadyGone },
          { label: t('remaining'), value: result.remaining },
          { label: t('oauth'), value: result.alsoRevoked.oauth },
          { label: t('verification'), value: result.alsoRevoked.verification },
        ]}
      />
      <strong>{t('stillValid')}</strong>{' '}
      {result.stillValid.length > 0 ? (
        <StillValidList entries={result.stillValid} names={namesOf(target)} />
      ) : (
        t('nothing')
      )}
      <Text size="sm" mt="xs">
        {t('checked')}{' '}
        {maySeeAudit && result.auditId && (
          <Anchor component={Link} size="sm" href={`/audit?id=${result.auditId}`} underline="always">
            {t('audit')}
          </Anchor>
        )}
      </Text>
    </Alert>
  );
};
