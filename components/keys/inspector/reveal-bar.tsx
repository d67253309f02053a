'use client';

import { Button } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RevealFoot } from '@/components/patterns/reveal-foot';
import { Tooltip } from '@/components/patterns/tooltip';
import type { Reveal } from '@/components/patterns/use-reveal';
import { useMay } from '@/components/patterns/viewer';
import type { WireInput } from '@/lib/contract';
import type { KeyDetails, keyContracts } from '@/lib/keys/schema';

type RevealKey = typeof keyContracts.reveal;

interface RevealBarProps {
  reveal: Reveal<RevealKey>;
  details: KeyDetails;
  of: Omit<WireInput<RevealKey>, 'keyId'>;
}

/**
 * Below a masked value: reveals it for a limited time, if the role permits it and the catalog does not call it secret.
 */
export const RevealBar = ({ reveal, details: { keyId, revealable }, of }: RevealBarProps) => {
  const t = useTranslations('keys.inspector.value');
  const may = useMay('env:reveal');
  if (reveal.shown) return <RevealFoot until={reveal.shown.until} onHide={reveal.hide} />;
  if (!may || !revealable) return null;
  return (
    <>
      <Tooltip label={t('revealMeans')}>
        <Button
          variant="default"
          size="xs"
          mt="sm"
          leftSection={<IconEye size={14} aria-hidden />}
          loading={reveal.isPending}
          onClick={() => reveal.reveal({ keyId, ...of })}
        >
          {t('reveal')}
        </Button>
      </Tooltip>
      {reveal.error != null && <ProblemAlert error={reveal.error} />}
    </>
  );
};
