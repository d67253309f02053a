'use client';

import { IconBox } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { Fragment, type ReactNode, useMemo } from 'react';
import type { DataColumn } from '@/components/data-table/columns';
import { KeyText } from '@/components/patterns/hostile-text';
import { Strong } from '@/components/patterns/strong';
import { useFormat } from '@/components/patterns/use-format';
import type { Catalog } from '@/lib/catalog/schema';
import { TabTable } from './tab-table';

type Row = Catalog['entities'][number];

/** One line: a part of an entity, and the keys that have it. */
const Line = ({
  title,
  keys,
  children,
}: {
  title: string;
  keys: readonly string[];
  children?: ReactNode;
}) => (
  <div>
    {title} {children}{' '}
    {keys.map((key) => (
      <Fragment key={key}>
        <KeyText>{key}</KeyText>{' '}
      </Fragment>
    ))}
  </div>
);

/** The kinds of entities, what belongs to them, and the keys that a change makes stale. */
export const EntitiesTab = ({ catalog }: { catalog: Catalog | undefined }) => {
  const t = useTranslations('catalog.entities');
  const tWord = useTranslations('words');
  const { list } = useFormat();
  const titleOf = useMemo(
    () => new Map(catalog?.entities.map(({ kind, title }) => [kind, title])),
    [catalog],
  );
  const columns = useMemo(
    (): DataColumn<Row>[] => [
      {
        id: 'entity',
        header: tWord('entity'),
        width: 130,
        pinned: true,
        cell: ({ title }) => <Strong component="span">{title}</Strong>,
        value: ({ kind }) => kind,
      },
      { id: 'app', header: tWord('application'), width: 110 },
      {
        id: 'facts',
        header: t('column.facts'),
        width: 160,
        value: ({ facts }) => list(facts),
      },
      {
        id: 'branches',
        header: t('column.branches'),
        width: 330,
        cell: ({ branches }) =>
          branches.map(({ id, title, target }) => (
            <div key={id}>
              {title} <KeyText>{target}</KeyText>
            </div>
          )),
        value: ({ branches }) => branches.map(({ target }) => target).join(' '),
      },
      {
        id: 'relations',
        header: tWord('relations'),
        width: 380,
        cell: ({ record, relations, conversation }) => (
          <>
            {record.length > 0 && <Line title={tWord('record')} keys={record} />}
            {relations.map(({ id, title, kind, from, of }) => (
              <Line
                key={id}
                title={kind === null ? title : t('leadsTo', { title, kind: titleOf.get(kind) ?? kind })}
                keys={of}
              >
                {from === 'field' ? t('field') : from === 'parts' && t('parts')}
              </Line>
            ))}
            {conversation.length > 0 && <Line title={tWord('messages')} keys={conversation} />}
          </>
        ),
        value: ({ relations }) => relations.map(({ title }) => title).join(' '),
      },
    ],
    [t, tWord, list, titleOf],
  );
  return (
    <TabTable
      note={t('note')}
      label={tWord('entities')}
      rows={catalog?.entities}
      name="entities"
      columns={columns}
      rowId={({ app, kind }) => `${app}.${kind}`}
      empty={{ icon: IconBox, title: t('empty'), text: t('emptyText') }}
    />
  );
};
