'use client';

import { Select, Text, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { KeyText } from '@/components/patterns/hostile-text';
import type { FamilyRow } from '@/lib/families/schema';
import { pairsOf } from './draft';
import type { TargetFieldsProps } from './target-props';

/** A family, with a field for each parameter that can narrow it. */
export const FamilyFields = ({ draft, onChange, families, problems }: TargetFieldsProps) => {
  const tWord = useTranslations('words');
  const family = families.find((candidate) => candidate.family === draft.family);
  return (
    <>
      <Select
        label={tWord('family')}
        placeholder={tWord('chooseAFamily')}
        data={families.map(({ family: value, title, pattern }) => ({
          value,
          label: `${title} (${pattern})`,
        }))}
        value={family?.family ?? null}
        onChange={(chosen) => chosen && onChange({ family: chosen, params: {} })}
        error={problems.get('family')}
        searchable
        allowDeselect={false}
        maxDropdownHeight={260}
      />
      {family && (
        <>
          <Text size="sm">
            {family.purpose} <KeyText>{family.pattern}</KeyText>
          </Text>
          {family.params.map((name) => (
            <ParamField
              key={`${family.family} ${name}`}
              name={name}
              family={family}
              {...{ draft, onChange, problems }}
            />
          ))}
        </>
      )}
    </>
  );
};

interface ParamFieldProps extends Pick<TargetFieldsProps, 'draft' | 'onChange' | 'problems'> {
  name: string;
  family: FamilyRow;
}

const ParamField = ({ name, family, draft, onChange, problems }: ParamFieldProps) => {
  const t = useTranslations('families');
  const value = draft.params[name] ?? '';
  const pairs = family.pairs === name ? pairsOf(value) : [];
  // A refusal of a pair names the pair, not the parameter.
  const refused = [name, ...(pairs ?? []).map(([inside]) => inside)].find((field) => problems.has(field));
  return (
    <TextInput
      label={name}
      description={family.pairs === name ? t('target.pairsHint') : t('parameterHint')}
      placeholder="*"
      value={value}
      error={pairs === null ? t('target.noPairs') : refused && problems.get(refused)}
      onChange={(event) => onChange({ params: { ...draft.params, [name]: event.currentTarget.value } })}
      maxLength={500}
      data-autofocus
      autoComplete="off"
      spellCheck={false}
    />
  );
};
