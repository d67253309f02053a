'use client';

import { SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { MONOSPACE } from '@/components/patterns/as-typed';
import { useConnection } from '@/components/patterns/connection';
import { kindsOf, type TargetKind } from './draft';
import { EntityFields } from './entity-fields';
import { FamilyFields } from './family-fields';
import { KeysField } from './keys-field';
import type { TargetFieldsProps } from './target-props';

/** The fields of a target: a family, an entity, a pattern or exact keys. */
export const TargetFields = (props: TargetFieldsProps) => {
  const t = useTranslations('families.target');
  const { entities } = useConnection();
  const { draft, onChange } = props;
  return (
    <Stack gap="sm">
      <SegmentedControl
        fullWidth
        aria-label={t('kind')}
        value={draft.by}
        onChange={(by) => onChange({ by: by as TargetKind })}
        data={kindsOf(entities).map((value) => ({ value, label: t(`by.${value}`) }))}
      />
      {draft.by === 'family' && <FamilyFields {...props} />}
      {draft.by === 'entity' && <EntityFields {...props} />}
      {draft.by === 'pattern' && <PatternField {...props} />}
      {draft.by === 'keys' && <KeysField {...props} />}
    </Stack>
  );
};

const PatternField = ({ draft, onChange, problems }: TargetFieldsProps) => {
  const t = useTranslations('families.target');
  const tWord = useTranslations('words');
  return (
    <TextInput
      label={tWord('pattern')}
      description={t('patternHint')}
      error={problems.get('pattern')}
      value={draft.pattern}
      onChange={(event) => onChange({ pattern: event.currentTarget.value })}
      maxLength={500}
      data-autofocus
      autoComplete="off"
      spellCheck={false}
      styles={MONOSPACE}
    />
  );
};
