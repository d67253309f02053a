'use client';

import { SegmentedControl, Select, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { AS_TYPED, MONOSPACE } from '@/components/patterns/as-typed';
import { Dimmed } from '@/components/patterns/dimmed';
import { NameInput } from '@/components/patterns/exact-text';
import { KeyText } from '@/components/patterns/hostile-text';
import { nameInput as typedName } from '@/components/patterns/key-bytes';
import type { FieldError } from '@/lib/errors';
import type { FamilyRow } from '@/lib/families/schema';

/** The typed name of a new key: by its family's parameters, or free. */
export interface NewName {
  by: 'family' | 'name';
  family: string;
  params: Readonly<Record<string, string>>;
  text: string;
}

/** The name in the form of the API; null while it is incomplete. */
export const nameInput = (name: NewName, family: FamilyRow | null) => {
  if (name.by === 'name') return name.text === '' ? null : { name: typedName(name.text) };
  if (!family) return null;
  const params = Object.fromEntries(family.params.map((param) => [param, name.params[param] ?? '']));
  if (Object.values(params).includes('')) return null;
  return { family: family.family, ...(family.params.length > 0 && { params }) };
};

/** The key for the parameters; missing ones stay in braces. */
const keyOf = ({ params }: NewName, { pattern }: FamilyRow): string =>
  pattern.replace(/\{(\w+)\}/g, (whole, param: string) => params[param] || whole);

interface NameFieldsProps {
  name: NewName;
  families: readonly FamilyRow[];
  error: string | undefined;
  paramErrors: readonly FieldError[];
  onChange: (name: NewName) => void;
}

/** The fields of a new key's name, with the catalog's description of each parameter. */
export const NameFields = ({ name, families, error, paramErrors, onChange }: NameFieldsProps) => {
  const t = useTranslations('keys.create');
  const tWord = useTranslations('words');
  const family = families.find((row) => row.family === name.family);
  const apps = [...new Set(families.map(({ app }) => app))].sort();
  return (
    <>
      <SegmentedControl
        fullWidth
        aria-label={t('by')}
        value={name.by}
        onChange={(by) => onChange({ ...name, by: by as NewName['by'] })}
        data={[
          { value: 'family', label: tWord('family') },
          { value: 'name', label: t('byName') },
        ]}
      />
      {name.by === 'name' ? (
        <NameInput
          label={tWord('keyName')}
          description={t('nameHint')}
          value={name.text}
          error={error}
          onChange={(text) => onChange({ ...name, text })}
        />
      ) : (
        <Select
          label={tWord('family')}
          placeholder={tWord('chooseAFamily')}
          description={family?.purpose}
          error={error}
          searchable
          data={apps.map((app) => ({
            group: app,
            items: families
              .filter((row) => row.app === app)
              .map((each) => ({ value: each.family, label: each.title })),
          }))}
          value={name.family || null}
          onChange={(next) => onChange({ ...name, family: next ?? '', params: {} })}
        />
      )}
      {name.by === 'family' &&
        family?.params.map((param) => (
          <TextInput
            key={`${family.family} ${param}`}
            label={param}
            description={family.grammar[param]}
            error={paramErrors.find(({ path }) => path === `params.${param}`)?.message}
            value={name.params[param] ?? ''}
            onChange={(event) =>
              onChange({ ...name, params: { ...name.params, [param]: event.currentTarget.value } })
            }
            {...AS_TYPED}
            styles={MONOSPACE}
          />
        ))}
      {name.by === 'family' && family && (
        <Dimmed size="xs" component="div">
          {t('key')} <KeyText max={200}>{keyOf(name, family)}</KeyText>
        </Dimmed>
      )}
    </>
  );
};
