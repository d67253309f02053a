'use client';

import { Checkbox, Skeleton, Text } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useDeferredValue, useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { MultilineText } from '@/components/patterns/multiline-text';
import { QueryProblem } from '@/components/patterns/query-problem';
import { ShownBytes } from '@/components/patterns/shown-bytes';
import { useFormat } from '@/components/patterns/use-format';
import { ValueDiff } from '@/components/patterns/value-diff';
import { type KeyDetails, keyContracts } from '@/lib/keys/schema';
import { type ByteDraft, draftOf, inForm, inputOf, isSame, sizeOf } from './byte-draft';
import { ByteField } from './byte-field';
import { isChanged } from './conflict';
import type { EditDrawerProps } from './edits';
import { isIncomplete } from './forms';
import { isContainer, jsonFault, parseJson } from './json-rows';
import { KeyForm, useKeyEdit } from './key-form';
import { keyName } from './key-name';
import { MAX_WHOLE_BYTES, wholeQuery } from './whole-value';

/** Edits a complete string: text with a JSON check, or bytes; shows the difference before saving. */
export const StringDrawer = ({ details, ...drawer }: EditDrawerProps) => {
  const t = useTranslations('keys.inspector.string');
  const tKeys = useTranslations('keys');
  const tWord = useTranslations('words');
  const format = useFormat();
  const { id } = useConnection();
  const name = keyName(details);
  // The source of the field's content: the key as it was opened, or the current one after a conflict.
  const [base, setBase] = useState<KeyDetails>(details);
  const [typed, setTyped] = useState<ByteDraft | null>(null);
  const [anyway, setAnyway] = useInputState(false);
  const size = base.length ?? 0;
  const tooLarge = size > MAX_WHOLE_BYTES;
  const whole = useQuery({ ...wholeQuery(id, base), enabled: drawer.opened && !tooLarge });
  const { change, conflict, target, edited } = useKeyEdit(keyContracts.update, base);
  // The first page may be free of secrets while the rest is not.
  const masked = whole.data !== undefined && isIncomplete(whole.data.value);
  const before = whole.data && !masked ? draftOf(whole.data.value, true) : null;
  const draft = typed ?? before;
  const input = draft && inputOf(draft);
  const wasJson = whole.data?.value.text != null && isContainer(parseJson(whole.data.value.text));
  const fault = wasJson && draft?.form === 'text' ? jsonFault(draft.text) : null;
  const unchanged = before !== null && isSame(inputOf(before), input);
  const { current } = conflict;
  const inConflict = isChanged(change.error);
  const type = (next: ByteDraft) => {
    edited();
    setTyped(next);
  };
  return (
    <KeyForm
      {...drawer}
      details={base}
      width="wide"
      title={tWord('editName', { name })}
      verb={t(current ? 'replace' : 'verb')}
      blocked={
        !input ||
        (fault !== null && !anyway) ||
        (unchanged && !current) ||
        (current !== null && current.type !== 'string')
      }
      change={change}
      conflict={conflict}
      input={(words) => ({
        ...target,
        ...(!current && whole.data && { etag: whole.data.etag }),
        edit: { op: 'setString' as const, value: input! },
        ...words,
      })}
      done={() => t('done', { name })}
      yours={
        <MultilineText maxLines={6} max={300}>
          {draft?.text ?? ''}
        </MultilineText>
      }
      current={current && <CurrentString details={current} />}
      onLoad={
        current?.type === 'string' && (current.length ?? 0) <= MAX_WHOLE_BYTES
          ? () => {
              setBase(current);
              setTyped(null);
              conflict.reset();
              change.reset();
            }
          : null
      }
    >
      {tooLarge && (
        <Text size="sm">
          {t('tooLarge', { size: format.bytes(size), max: format.bytes(MAX_WHOLE_BYTES) })}
        </Text>
      )}
      {masked && <Text size="sm">{tKeys('inspector.readOnly.masked')}</Text>}
      {whole.isError && <QueryProblem of={whole} />}
      {!draft && !tooLarge && !masked && !whole.isError && <Skeleton height={160} />}
      {draft && (
        <ByteField
          label={tWord('value')}
          description={draft.style ? t('oneLine') : t('asTyped')}
          draft={draft}
          onChange={type}
          error={fault === null ? undefined : t('noJson', { why: fault })}
          rows={6}
        />
      )}
      {fault !== null && <Checkbox label={t('anyway')} checked={anyway} onChange={setAnyway} />}
      {details.ttlSeconds !== null && <Dimmed size="xs">{t('ttlStays')}</Dimmed>}
      {draft && before && !unchanged && !inConflict && <Difference before={before} after={draft} />}
    </KeyForm>
  );
};

const CurrentString = ({ details }: { details: KeyDetails }) => {
  const tWord = useTranslations('words');
  if (!details.string) return tWord('otherType', { type: details.type });
  const { page } = details.string;
  return page.text === null ? (
    <ShownBytes of={page} max={300} />
  ) : (
    <MultilineText maxLines={6} max={300}>
      {page.text}
    </MultilineText>
  );
};

/** Both sides in the edited form, so that only changes differ. */
const Difference = ({ before, after }: { before: ByteDraft; after: ByteDraft }) => {
  const later = useDeferredValue(after);
  const same =
    later.form === before.form && later.style === before.style ? before : inForm(before, later.form);
  return (
    <ValueDiff
      masked={false}
      before={{ text: same?.text ?? null, lengthBytes: sizeOf(before) }}
      after={{ text: later.text, lengthBytes: sizeOf(later) }}
    />
  );
};
