'use client';

import { Button } from '@mantine/core';
import { IconFlag } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { onDemand } from '@/components/patterns/on-demand';
import { useOpened } from '@/components/patterns/use-opened';
import { useMay } from '@/components/patterns/viewer';

const MarkDrawer = onDemand(async () => (await import('./mark-drawer')).MarkDrawer);

/** A button that adds a labelled line to the charts, for those who may. */
export const MarkDeploy = () => {
  const t = useTranslations('hitRates.mark');
  const may = useMay('flags:toggle');
  const { key, opened, open, close } = useOpened<string>();
  if (!may) return null;
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconFlag size={14} aria-hidden />}
        onClick={() => open('deploy')}
      >
        {t('title')}
      </Button>
      <MarkDrawer key={key} opened={opened} onClose={close} />
    </>
  );
};
