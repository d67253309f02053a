'use client';

import { ActionIcon, Button, Group, SegmentedControl, Stack } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Strong } from '@/components/patterns/strong';
import type { KeyEdit } from '@/lib/key-values/schema';
import { keyContracts } from '@/lib/keys/schema';
import { type ByteDraft, EMPTY, EMPTY_NAME, inputOf } from './byte-draft';
import { ByteField } from './byte-field';
import type { CollectionType } from './collections';
import type { EditDrawerProps } from './edits';
import { ScoreField } from './element-drawers';
import { KeyForm, useKeyEdit } from './key-form';
import { keyName } from './key-name';
import { isScore } from './score';

interface Pair {
  id: number;
  field: ByteDraft;
  value: ByteDraft;
}

interface NewElement {
  field: ByteDraft;
  value: ByteDraft;
  score: string;
  end: 'head' | 'tail';
  pairs: readonly Pair[];
}

const MAX_PAIRS = 100;
const firstOf = (type: CollectionType): NewElement => ({
  field: EMPTY_NAME,
  value: type === 'set' || type === 'zset' ? EMPTY_NAME : EMPTY,
  score: '0',
  end: 'tail',
  pairs: [{ id: 0, field: EMPTY_NAME, value: EMPTY }],
});

const pairOf = ({ field, value }: Pick<Pair, 'field' | 'value'>) => {
  const [name, stored] = [inputOf(field), inputOf(value)];
  return name && stored && field.text !== '' ? { field: name, value: stored } : null;
};

/** The edit that adds the element; null while its fields are invalid. */
const editOf = (type: CollectionType, draft: NewElement): KeyEdit | null => {
  if (type === 'hash') {
    const pair = pairOf(draft);
    return pair && { op: 'addField', ...pair };
  }
  if (type === 'stream') {
    const fields = draft.pairs.map(pairOf).filter((pair) => pair !== null);
    return fields.length === draft.pairs.length ? { op: 'addEntry', fields } : null;
  }
  const value = inputOf(draft.value);
  if (!value) return null;
  if (type === 'list') return { op: 'push', end: draft.end, value };
  if (type === 'set') return { op: 'addMember', member: value };
  return isScore(draft.score) ? { op: 'addMember', member: value, score: draft.score.trim() } : null;
};

/** Adds a field, list element, member or stream entry. An existing one is not overwritten. */
export const AddDrawer = (props: EditDrawerProps) => {
  const { details } = props;
  const t = useTranslations('keys.inspector.add');
  const tWord = useTranslations('words');
  const type = details.type as CollectionType;
  const [draft, setDraft] = useState(() => firstOf(type));
  const { change, conflict, target, edited } = useKeyEdit(keyContracts.update, details);
  const edit = editOf(type, draft);
  const patch = (part: Partial<NewElement>) => {
    edited();
    setDraft((last) => ({ ...last, ...part }));
  };
  return (
    <KeyForm
      {...props}
      width="editor"
      title={t(`title.${type}`, { name: keyName(details) })}
      verb={t(conflict.current ? 'anyway' : `verb.${type}`)}
      blocked={!edit || (conflict.current?.type ?? type) !== type}
      change={change}
      conflict={conflict}
      input={(words) => ({ ...target, edit: edit!, ...words })}
      done={() => t(`done.${type}`)}
      yours={t(`verb.${type}`)}
      current={tWord('elements', { count: conflict.current?.length ?? 0 })}
    >
      {type === 'hash' && (
        <ByteField label={tWord('field')} draft={draft.field} onChange={(field) => patch({ field })} />
      )}
      {type === 'list' && (
        <SegmentedControl
          aria-label={t('end')}
          data={[
            { value: 'head', label: t('head') },
            { value: 'tail', label: t('tail') },
          ]}
          value={draft.end}
          onChange={(end) => patch({ end: end === 'head' ? 'head' : 'tail' })}
        />
      )}
      {type === 'stream' ? (
        <Pairs pairs={draft.pairs} onChange={(pairs) => patch({ pairs })} />
      ) : (
        <ByteField
          label={t(type === 'set' || type === 'zset' ? 'member' : 'value')}
          draft={draft.value}
          onChange={(value) => patch({ value })}
          rows={2}
        />
      )}
      {type === 'zset' && <ScoreField value={draft.score} onChange={(score) => patch({ score })} />}
    </KeyForm>
  );
};

const Pairs = ({
  pairs,
  onChange,
}: {
  pairs: readonly Pair[];
  onChange: (pairs: readonly Pair[]) => void;
}) => {
  const t = useTranslations('keys.inspector.add');
  const tWord = useTranslations('words');
  const set = (id: number, part: Partial<Pair>) =>
    onChange(pairs.map((pair) => (pair.id === id ? { ...pair, ...part } : pair)));
  return (
    <>
      {pairs.map((pair, i) => (
        <Stack key={pair.id} gap={4} role="group" aria-label={t('pair', { number: i + 1 })}>
          <Group justify="space-between">
            <Strong>{t('pair', { number: i + 1 })}</Strong>
            {pairs.length > 1 && (
              <ActionIcon
                aria-label={t('removePair', { number: i + 1 })}
                onClick={() => onChange(pairs.filter(({ id }) => id !== pair.id))}
              >
                <IconTrash size={16} />
              </ActionIcon>
            )}
          </Group>
          <ByteField
            label={tWord('field')}
            draft={pair.field}
            onChange={(field) => set(pair.id, { field })}
          />
          <ByteField label={t('value')} draft={pair.value} onChange={(value) => set(pair.id, { value })} />
        </Stack>
      ))}
      {pairs.length < MAX_PAIRS && (
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() =>
              onChange([...pairs, { id: (pairs.at(-1)?.id ?? 0) + 1, field: EMPTY_NAME, value: EMPTY }])
            }
          >
            {t('addPair')}
          </Button>
        </Group>
      )}
    </>
  );
};
