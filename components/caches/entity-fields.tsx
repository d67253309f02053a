'use client';

import { Group, Select, Text, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { BranchTree } from './branch-tree';
import { type Draft, ENTITIES } from './draft';
import type { TargetFieldsProps } from './target-props';

type Fact = 'id' | 'slug' | 'authors' | 'topics';

/** The facts that narrow an entity, with the field names of the API that refusals use. */
const FACTS: Record<Draft['entity'], Fact[]> = {
  author: ['slug'],
  topic: ['slug'],
  shout: ['authors', 'topics'],
};
const WIRE: Record<Fact, string> = { id: 'id', slug: 'slug', authors: 'authorIds', topics: 'topicIds' };

/** The entity that changed, and the branches of keys that the application's rule deletes then. */
export const EntityFields = (props: TargetFieldsProps) => {
  const { draft, onChange, branches, problems } = props;
  const t = useTranslations('caches.target');
  const field = (name: Fact) => (
    <TextInput
      key={name}
      label={t(`fact.${name}`)}
      description={name === 'id' ? undefined : t(`factHint.${name}`)}
      error={problems.get(WIRE[name])}
      value={draft[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
      maxLength={300}
      autoComplete="off"
      spellCheck={false}
      {...(name === 'id' && { inputMode: 'numeric', style: { flex: 1 }, 'data-autofocus': true })}
    />
  );
  return (
    <>
      <Text size="sm">{t('entityHint')}</Text>
      <Group gap="sm" align="flex-start" wrap="nowrap">
        <Select
          label={t('entity')}
          data={ENTITIES.map((value) => ({ value, label: t(`entities.${value}`) }))}
          value={draft.entity}
          error={problems.get('')}
          onChange={(entity) => entity && onChange({ entity: entity as Draft['entity'] })}
          allowDeselect={false}
          w={150}
        />
        {field('id')}
      </Group>
      {FACTS[draft.entity].map(field)}
      <BranchTree
        entity={`${t(`entities.${draft.entity}`)} ${draft.id}`}
        branches={branches}
        without={draft.without}
        onChange={(without) => onChange({ without })}
      />
    </>
  );
};
