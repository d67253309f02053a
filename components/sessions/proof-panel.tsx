'use client';

import { Alert, Anchor, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import Link from 'next/link';
import { useTranslations } from 'next-intl';
import { useEffect, useRef } from 'react';
import { useMay } from '@/components/patterns/viewer';
import { SessionFigures } from './session-figures';
import { StillValidList } from './still-valid';
import { namesOf, type Proof } from './use-revocation';

/** What the server found when it looked again: how many ended, whether any remain, and what still lets them in. */
export const ProofPanel = ({ proof, onClose }: { proof: Proof; onClose: () => void }) => {
  const t = useTranslations('sessions.proof');
  const maySeeAudit = useMay('audit:view');
  const box = useRef<HTMLDivElement>(null);
  const { result, target } = proof;
  const clean = result.remaining === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each proof is looked at anew
  useEffect(() => {
    // Newer browsers answer with a promise: an effect must not return it.
    box.current?.scrollIntoView({ block: 'nearest' });
  }, [proof]);
  return (
    <Alert
      ref={box}
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
