'use client';

import { Text, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { ShownBytes } from '@/components/patterns/shown-bytes';
import { ValueDiff } from '@/components/patterns/value-diff';
import type { BytesInput, KeyEdit, KeyElement } from '@/lib/key-values/schema';
import { visibleText } from '@/lib/visible-text';
import { type ByteDraft, draftOf, inForm, inputOf, isSame, nameDraftOf, sizeOf } from './byte-draft';
import { ByteField } from './byte-field';
import type { EditDrawerProps } from './edits';
import { elementName } from './element-columns';
import { ElementForm } from './element-form';
import { isScore } from './score';
import type { ElementRow } from './use-elements';

export interface ElementDrawerProps extends EditDrawerProps {
  row: ElementRow;
}

/** The field or member that identifies an element, in the form of the API. */
export const nameOf = ({ field, member }: ElementRow): BytesInput =>
  inputOf(draftOf(field ?? member ?? { text: '', base64: null })) ?? { text: '' };

export const shownName = (row: ElementRow): string => visibleText(elementName(row), 60);

/** Changes the value of a hash field or list element. */
export const SetValueDrawer = (props: ElementDrawerProps) => {
  const { row } = props;
  const tKeys = useTranslations('keys');
  const tWord = useTranslations('words');
  const [before, setBefore] = useState(() => draftOf(row.value ?? { text: '', base64: null }, true));
  const [draft, setDraft] = useState(before);
  const value = inputOf(draft);
  const unchanged = isSame(inputOf(before), value);
  const name = shownName(row);
  const edit = (element: string): KeyEdit | null => {
    if (!value) return null;
    return row.index === undefined
      ? { op: 'setField', element, field: nameOf(row), value }
      : { op: 'setAt', element, index: row.index, value };
  };
  const same =
    draft.form === before.form && draft.style === before.style ? before : inForm(before, draft.form);
  return (
    <ElementForm
      {...props}
      title={tWord('editName', { name })}
      verb={tWord('save')}
      done={tKeys('inspector.string.done', { name })}
      edit={edit}
      unchanged={unchanged}
      yours={<Typed draft={draft} />}
      current={({ value: stored }) => stored && <ShownBytes of={stored} max={300} />}
      onLoad={({ value: stored }) => {
        if (!stored) return;
        setBefore(draftOf(stored, true));
        setDraft(draftOf(stored, true));
      }}
    >
      <ByteField label={tWord('value')} draft={draft} onChange={setDraft} rows={4} />
      {!unchanged && (
        <ValueDiff
          masked={false}
          before={{ text: same?.text ?? null, lengthBytes: sizeOf(before) }}
          after={{ text: draft.text, lengthBytes: sizeOf(draft) }}
        />
      )}
    </ElementForm>
  );
};

/** The current value of the element with this name. */
const currentOf =
  (name: string) =>
  ({ value, score }: KeyElement) =>
    value ? <ShownBytes of={value} max={300} /> : (score ?? name);

const Typed = ({ draft }: { draft: ByteDraft }) => (
  <ShownBytes
    of={{
      text: draft.text,
      base64: null,
      bytes: sizeOf(draft),
      truncated: false,
      masked: false,
      decoded: null,
    }}
    max={300}
  />
);

/** Changes the score of a member. */
export const ScoreDrawer = (props: ElementDrawerProps) => {
  const { row } = props;
  const t = useTranslations('keys.inspector.score');
  const [score, setScore] = useState(row.score ?? '');
  const name = shownName(row);
  return (
    <ElementForm
      {...props}
      title={t('title', { name })}
      verb={t('verb')}
      done={t('done', { name })}
      edit={(element) =>
        isScore(score) ? { op: 'setScore', element, member: nameOf(row), score: score.trim() } : null
      }
      unchanged={score.trim() === row.score}
      yours={score}
      current={(found) => found.score}
      onLoad={(found) => setScore(found.score ?? '')}
    >
      <ScoreField value={score} onChange={setScore} />
    </ElementForm>
  );
};

export const ScoreField = ({ value, onChange }: { value: string; onChange: (score: string) => void }) => {
  const t = useTranslations('keys.inspector.score');
  const tWord = useTranslations('words');
  return (
    <TextInput
      label={tWord('score')}
      description={t('hint')}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={value !== '' && !isScore(value) && t('invalid')}
      inputMode="decimal"
      autoComplete="off"
    />
  );
};

/** Renames a field or member; an existing one of that name is never overwritten. */
export const RenameElementDrawer = (props: ElementDrawerProps) => {
  const { row, details } = props;
  const t = useTranslations('keys.inspector.renameElement');
  const tWord = useTranslations('words');
  const tKeys = useTranslations('keys');
  const [draft, setDraft] = useState(() =>
    nameDraftOf(row.field ?? row.member ?? { text: '', base64: null }),
  );
  const before = nameOf(row);
  const to = inputOf(draft);
  const name = shownName(row);
  return (
    <ElementForm
      {...props}
      title={tWord('renameName', { name })}
      verb={tKeys('inspector.newName.rename.verb')}
      done={t('done', { name })}
      edit={(element) => {
        if (!to) return null;
        return details.type === 'hash'
          ? { op: 'renameField', element, field: before, to }
          : { op: 'renameMember', element, member: before, to };
      }}
      unchanged={isSame(before, to)}
      yours={<Typed draft={draft} />}
      current={currentOf(name)}
    >
      <ByteField label={tWord('newName')} description={t('hint')} draft={draft} onChange={setDraft} />
    </ElementForm>
  );
};

/** Removes an element. Removing the last one deletes the key. */
export const RemoveElementDrawer = (props: ElementDrawerProps) => {
  const { row, details } = props;
  const t = useTranslations('keys.inspector.removeElement');
  const name = shownName(row);
  const edit = (element: string): KeyEdit => {
    if (row.entryId !== undefined) return { op: 'removeEntry', element, entryId: row.entryId };
    if (row.index !== undefined) return { op: 'removeAt', element, index: row.index };
    return details.type === 'hash'
      ? { op: 'removeField', element, field: nameOf(row) }
      : { op: 'removeMember', element, member: nameOf(row) };
  };
  return (
    <ElementForm
      {...props}
      title={t('title', { name })}
      verb={t('verb')}
      done={t('done', { name })}
      destructive
      edit={edit}
      yours={t('verb')}
      current={currentOf(name)}
    >
      {row.value && <ShownBytes of={row.value} max={300} />}
      <Text size="sm">{t('means')}</Text>
      {details.length === 1 && details.type !== 'stream' && <Text size="sm">{t('last')}</Text>}
    </ElementForm>
  );
};
