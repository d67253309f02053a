'use client';

import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { useLast } from '@/components/patterns/use-last';
import type { Waiver } from '@/lib/conventions/schema';
import { conventionContracts } from '@/lib/conventions/schema';
import { WaiverList } from './waiver-list';

interface UnwaiveDrawerProps {
  waiver: Waiver | null;
  ruleTitle: (rule: Waiver['rule']) => string;
  opened: boolean;
  onClose: () => void;
}

/** Ends a waiver of the console: its violations count again. */
export const UnwaiveDrawer = ({ waiver, ruleTitle, opened, onClose }: UnwaiveDrawerProps) => {
  const t = useTranslations('conventions.unwaive');
  const { id } = useConnection();
  const unwaive = useCommand(conventionContracts.unwaive, id);
  const shown = useLast(waiver);
  const rule = shown ? ruleTitle(shown.rule) : '';
  return (
    <FormDrawer
      opened={opened}
      onClose={onClose}
      inAddress
      onReadOnly
      title={t('title', { rule })}
      verb={t('verb')}
      change={unwaive}
      input={(words) => ({ ...words, id: shown?.id ?? '' })}
      done={() => t('done', { rule })}
    >
      <p>{t('consequence')}</p>
      {shown && <WaiverList waivers={[shown]} />}
    </FormDrawer>
  );
};
