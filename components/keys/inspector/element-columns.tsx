'use client';

import { Badge, Group } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { Count, Duration } from '@/components/patterns/figures';
import { KeyLink } from '@/components/patterns/key-link';
import { MoreMenu } from '@/components/patterns/more-menu';
import { RelativeTime } from '@/components/patterns/relative-time';
import { elementText, ShownBytes } from '@/components/patterns/shown-bytes';
import type { ShownBytes as Bytes } from '@/lib/key-values/schema';
import type { KeyDetails } from '@/lib/keys/schema';
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

type Columns = DataColumn<ElementRow>[];

const useKinds = (): Record<'index' | 'field' | 'value' | 'member' | 'score' | 'entry', Columns> &
  Record<'link' | 'ttl', Columns> => {
  const tKeys = useTranslations('keys');
  const tWord = useTranslations('words');
  return useMemo(
    () => ({
      index: [
        {
          id: 'index',
          header: tKeys('inspector.element.index'),
          align: 'right',
          width: 80,
          pinned: true,
          cell: ({ index }) => <Count value={index} />,
          value: ({ index }) => index ?? null,
        },
      ],
      field: [
        {
          id: 'field',
          header: tWord('field'),
          width: 220,
          pinned: true,
          cell: ({ field }) => field && <ShownBytes of={field} max={120} isName />,
          value: ({ field }) => shown(field),
        },
      ],
      value: [
        {
          id: 'value',
          header: tWord('value'),
          width: 300,
          cell: ({ value }) => value && <ShownBytes of={value} max={MAX_VALUE} />,
          value: ({ value }) => shown(value),
        },
      ],
      member: [
        {
          id: 'member',
          header: tWord('member'),
          width: 300,
          pinned: true,
          cell: ({ member }) => member && <ShownBytes of={member} max={MAX_VALUE} isName />,
          value: ({ member }) => shown(member),
        },
      ],
      score: [
        {
          id: 'score',
          header: tWord('score'),
          align: 'right',
          width: 140,
          value: ({ score }) => score ?? null,
        },
      ],
      entry: [
        {
          id: 'entry',
          header: tWord('entry'),
          width: 190,
          pinned: true,
          cell: ({ entryId }) => <code>{entryId}</code>,
          value: ({ entryId }) => entryId ?? null,
        },
        {
          id: 'time',
          header: tKeys('inspector.element.time'),
          width: 110,
          minor: true,
          cell: ({ entryId }) => <RelativeTime at={entryTime(entryId ?? '')} />,
          value: ({ entryId }) => entryTime(entryId ?? ''),
        },
        {
          id: 'fields',
          header: tWord('fields'),
          width: 300,
          cell: (row) => <EntryFields row={row} max={FIELDS_SHOWN} />,
          value: ({ fields = [] }) =>
            fields.map(({ field, value }) => `${shown(field) ?? '•••'}=${shown(value) ?? '•••'}`).join(' '),
        },
      ],
      link: [
        {
          id: 'link',
          header: tWord('key'),
          width: 260,
          cell: (row) => <ElementLink row={row} />,
          value: ({ link }) => link?.key ?? null,
        },
      ],
      ttl: [
        {
          id: 'ttl',
          header: tWord('ttl'),
          align: 'right',
          width: 100,
          cell: ({ ttlSeconds }) => <Duration value={ttlSeconds} />,
          value: ({ ttlSeconds }) => ttlSeconds ?? null,
        },
      ],
    }),
    [tWord, tKeys],
  );
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
export const useElementColumns = (details: KeyDetails, onEdit: OpenEdit | null): Columns => {
  const kinds = useKinds();
  const { type, elements } = details;
  const withLinks = elements.some(({ link }) => link !== undefined);
  const withTtl = elements.some(({ ttlSeconds }) => typeof ttlSeconds === 'number');
  return useMemo(() => {
    const { index, field, value, member, score, entry, link, ttl } = kinds;
    const byType: Record<string, Columns> = {
      hash: [...field, ...value, ...(withTtl ? ttl : [])],
      list: [...index, ...value],
      set: member,
      zset: [...member, ...score],
      stream: entry,
    };
    const columns = [...(byType[type] ?? []), ...(withLinks ? link : [])];
    if (!onEdit) return columns;
    return [
      ...columns,
      actionsColumn<ElementRow>({
        width: 70,
        cell: (row) => <ElementMenu row={row} type={type} onEdit={onEdit} />,
      }),
    ];
  }, [kinds, type, withLinks, withTtl, onEdit]);
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
