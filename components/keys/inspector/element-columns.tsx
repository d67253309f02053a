'use client';

import { Badge, Group } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn, countColumn, durationColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { declareColumns, useDeclaredColumns } from '@/components/data-table/declared-columns';
import { KeyLink } from '@/components/patterns/key-link';
import { MoreMenu } from '@/components/patterns/more-menu';
import { elementText, ShownBytes } from '@/components/patterns/shown-bytes';
import type { ShownBytes as Bytes } from '@/lib/key-values/schema';
import type { KeyDetails } from '@/lib/keys/schema';
import type { CollectionType } from './collections';
import type { OpenEdit } from './edits';
import { isIncomplete } from './forms';
import classes from './inspector.module.css';
import { entryTime } from './unix-time';
import type { ElementRow } from './use-elements';

const FIELDS_SHOWN = 6;
const MAX_VALUE = 240;

/** The name of an element in labels, without masked parts. */
export const elementName = ({ index, entryId, field, member }: ElementRow): string => {
  const name = field ?? member;
  if (name) return elementText(name) ?? '•••';
  return entryId ?? `[${index ?? 0}]`;
};

const shown = (bytes: Bytes | undefined): string | null => bytes?.text ?? bytes?.base64 ?? null;

/** A stream entry as names and values. */
export const EntryFields = ({ row, max }: { row: ElementRow; max?: number }) => {
  const t = useTranslations('keys.inspector.elements');
  const fields = row.fields ?? [];
  return (
    <dl className={classes.entry}>
      {fields.slice(0, max).map(({ field, value }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry may have a field twice
        <div key={i} style={{ display: 'contents' }}>
          <dt>
            <ShownBytes of={field} max={80} isName />
          </dt>
          <dd>
            <ShownBytes of={value} max={max ? MAX_VALUE : 4000} />
          </dd>
        </div>
      ))}
      {max && fields.length > max ? (
        <dt className={classes.quiet}>{t('moreFields', { count: fields.length - max })}</dt>
      ) : null}
    </dl>
  );
};

export const ELEMENT_COLUMNS = declareColumns<ElementRow>('keys.inspector.element', [
  countColumn<ElementRow>({ id: 'index', width: 80, pinned: true, of: ({ index }) => index ?? null }),
  {
    id: 'field',
    width: 220,
    pinned: true,
    cell: ({ field }) => field && <ShownBytes of={field} max={120} isName />,
    value: ({ field }) => shown(field),
  },
  {
    id: 'member',
    width: 300,
    pinned: true,
    cell: ({ member }) => member && <ShownBytes of={member} max={MAX_VALUE} isName />,
    value: ({ member }) => shown(member),
  },
  {
    id: 'value',
    width: 300,
    cell: ({ value }) => value && <ShownBytes of={value} max={MAX_VALUE} />,
    value: ({ value }) => shown(value),
  },
  { id: 'score', align: 'right', width: 140, value: ({ score }) => score ?? null },
  {
    id: 'entry',
    width: 190,
    pinned: true,
    cell: ({ entryId }) => <code>{entryId}</code>,
    value: ({ entryId }) => entryId ?? null,
  },
  timeColumn<ElementRow>({
    id: 'time',
    width: 110,
    minor: true,
    of: ({ entryId }) => entryTime(entryId ?? ''),
  }),
  {
    id: 'fields',
    width: 300,
    cell: (row) => <EntryFields row={row} max={FIELDS_SHOWN} />,
    value: ({ fields = [] }) =>
      fields.map(({ field, value }) => `${shown(field) ?? '•••'}=${shown(value) ?? '•••'}`).join(' '),
  },
  durationColumn<ElementRow>({ id: 'ttl', width: 100, of: ({ ttlSeconds }) => ttlSeconds ?? null }),
  {
    id: 'link',
    header: 'key',
    width: 260,
    cell: (row) => <ElementLink row={row} />,
    value: ({ link }) => link?.key ?? null,
  },
]);

const OF_TYPE: Record<CollectionType, readonly string[]> = {
  hash: ['field', 'value', 'ttl'],
  list: ['index', 'value'],
  set: ['member'],
  zset: ['member', 'score'],
  stream: ['entry', 'time', 'fields'],
};

/** A link to the key in a member. */
export const ElementLink = ({ row: { link } }: { row: ElementRow }) => {
  const t = useTranslations('keys.inspector.related');
  if (!link) return null;
  return (
    <Group gap={6} wrap="nowrap">
      <KeyLink keyId={link.keyId} max={60}>
        {link.key}
      </KeyLink>
      {!link.exists && (
        <Badge color="orange" flex="none">
          {t('missing')}
        </Badge>
      )}
    </Group>
  );
};

/** The columns of a type, with the actions that its value permits. */
export const useElementColumns = (details: KeyDetails, onEdit: OpenEdit | null): DataColumn<ElementRow>[] => {
  const all = useDeclaredColumns(ELEMENT_COLUMNS);
  const { type, elements } = details;
  const withLinks = elements.some(({ link }) => link !== undefined);
  const withTtl = elements.some(({ ttlSeconds }) => typeof ttlSeconds === 'number');
  return useMemo(() => {
    const ids = [...OF_TYPE[type as CollectionType], ...(withLinks ? ['link'] : [])];
    const columns = all.filter(({ id }) => ids.includes(id) && (id !== 'ttl' || withTtl));
    if (!onEdit) return columns;
    return [
      ...columns,
      actionsColumn<ElementRow>({
        width: 70,
        cell: (row) => <ElementMenu row={row} type={type} onEdit={onEdit} />,
      }),
    ];
  }, [all, type, withLinks, withTtl, onEdit]);
};

type ElementEdit = 'setElement' | 'fieldTtl' | 'renameElement' | 'removeElement';

interface ElementMenuProps {
  row: ElementRow;
  type: string;
  onEdit: OpenEdit;
}

/**
 * Elements are identified by their bytes: a masked or cut one cannot be changed, and an unseen value cannot be edited.
 */
const ElementMenu = ({ row, type, onEdit }: ElementMenuProps) => {
  const t = useTranslations('keys.inspector.action');
  const tWord = useTranslations('words');
  const name = row.field ?? row.member;
  const isNamed = name === undefined || !isIncomplete(name);
  const hasValue = row.value !== undefined && !isIncomplete(row.value);
  const item = (kind: ElementEdit, text: string, isPossible = true) => ({
    id: kind,
    text,
    disabled: !isNamed || !isPossible,
    onClick: () => onEdit({ kind, row }),
  });
  return (
    <MoreMenu
      label={t('elementOf', { name: elementName(row) })}
      heading={isNamed ? undefined : t(name.masked ? 'nameMasked' : 'nameCut')}
      items={[
        ...(type === 'hash' || type === 'list' ? [item('setElement', t('setValue'), hasValue)] : []),
        ...(type === 'zset' ? [item('setElement', t('setScore'))] : []),
        ...(row.ttlSeconds !== undefined ? [item('fieldTtl', tWord('setTtlAsk'), hasValue)] : []),
        ...(type === 'hash' || type === 'set' || type === 'zset'
          ? [item('renameElement', tWord('renameAsk'))]
          : []),
        { ...item('removeElement', t('removeElement')), color: 'red' },
      ]}
    />
  );
};
