'use client';

import { Textarea } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { MONOSPACE } from '@/components/patterns/as-typed';
import { keyIdsOf } from '@/components/patterns/key-bytes';
import type { TargetFieldsProps } from './target-props';

/** Keys by their exact names, one per line. */
export const KeysField = ({ draft, onChange, problems }: TargetFieldsProps) => {
  const t = useTranslations('families');
  const tWord = useTranslations('words');
  const { tooMany } = keyIdsOf(draft.keys);
  return (
    <Textarea
      label={tWord('keys')}
      description={t('keysHint')}
      error={tooMany ? t('tooManyKeys') : problems.get('keyIds')}
      value={draft.keys}
      onChange={(event) => onChange({ keys: event.currentTarget.value })}
      autosize
      data-autofocus
      minRows={3}
      maxRows={12}
      spellCheck={false}
      autoComplete="off"
      styles={MONOSPACE}
    />
  );
};
