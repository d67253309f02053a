'use client';

import { Group, Select, Text, TextInput, type TextInputProps } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { BranchTree } from './branch-tree';
import { entityKindOf, isAmbiguous, kindNameOf } from './draft';
import type { TargetFieldsProps } from './target-props';

const PLAIN: TextInputProps = { maxLength: 300, autoComplete: 'off', spellCheck: false };

/** The entity that changed, and the branches of keys that the application's rule deletes then. */
export const EntityFields = ({ draft, onChange, branches, problems }: TargetFieldsProps) => {
  const t = useTranslations('families.target');
  const tWord = useTranslations('words');
  const { entities } = useConnection();
  const entity = entityKindOf(draft, entities);
  if (!entity) return null;
  return (
    <>
      <Text size="sm">{t('entityHint')}</Text>
      <Group gap="sm" align="flex-start" wrap="nowrap">
        <Select
          label={tWord('whatChanged')}
          data={entities
            .filter(({ invalidates }) => invalidates)
            .map((kind) => ({
              value: kindNameOf(kind, entities),
              label: isAmbiguous(kind, entities) ? `${kind.title} (${kind.app})` : kind.title,
            }))}
          value={kindNameOf(entity, entities)}
          error={problems.get('') ?? problems.get('kind')}
          onChange={(kind) => kind && onChange({ entity: kind })}
          allowDeselect={false}
          w={150}
        />
        <TextInput
          {...PLAIN}
          label={tWord('id')}
          error={problems.get('id')}
          value={draft.id}
          onChange={(event) => onChange({ id: event.currentTarget.value })}
          inputMode={entity.numericId ? 'numeric' : 'text'}
          style={{ flex: 1 }}
          data-autofocus
        />
      </Group>
      {entity.facts.map(({ name, title, hint }) => (
        <TextInput
          {...PLAIN}
          key={`${entity.ref}-${name}`}
          label={title}
          description={hint}
          error={problems.get(name)}
          value={draft.facts[name] ?? ''}
          onChange={(event) => onChange({ facts: { ...draft.facts, [name]: event.currentTarget.value } })}
          maxLength={2000}
        />
      ))}
      <BranchTree
        entity={`${entity.title} ${draft.id}`}
        branches={branches}
        without={draft.without}
        onChange={(without) => onChange({ without })}
      />
    </>
  );
};
