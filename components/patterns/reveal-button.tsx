'use client';

import { Button } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { Contract, WireInput } from '@/lib/contract';
import { ProblemAlert } from './problem-alert';
import { RevealFoot } from './reveal-foot-on-demand';
import { Tooltip } from './tooltip';
import type { Reveal } from './use-reveal';
import { useMay } from './viewer';

interface RevealButtonProps<C extends Contract> {
  reveal: Reveal<C>;
  /** Whether the catalog allows it. */
  revealable: boolean;
  input: WireInput<C>;
}

/** Below a masked value: reveals it for a limited time, if the role permits it and the catalog does not call it secret. */
export const RevealButton = <C extends Contract>({ reveal, revealable, input }: RevealButtonProps<C>) => {
  const tWord = useTranslations('words');
  const may = useMay('env:reveal');
  if (reveal.shown) return <RevealFoot until={reveal.shown.until} onHide={reveal.hide} />;
  if (!may || !revealable) return null;
  return (
    <>
      <Tooltip label={tWord('revealMeans')}>
        <Button
          variant="default"
          size="xs"
          mt="sm"
          leftSection={<IconEye size={14} aria-hidden />}
          loading={reveal.isPending}
          onClick={() => reveal.reveal(input)}
        >
          {tWord('reveal')}
        </Button>
      </Tooltip>
      {reveal.error != null && <ProblemAlert error={reveal.error} />}
    </>
  );
};
