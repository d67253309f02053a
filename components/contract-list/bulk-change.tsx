'use client';

import { Button, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { Selection } from '@/components/data-table/columns';
import { useConnection } from '@/components/patterns/connection';
import { queryKeyOf } from '@/components/patterns/query-key';
import { Tooltip } from '@/components/patterns/tooltip';
import { type PreviewedChange, usePreviewedChange } from '@/components/patterns/use-previewed-change';
import type { Texts } from '@/components/patterns/use-texts';
import type { AnyList, BulkTarget } from './declare-list';
import { nameOf } from './list-columns';

type Row = unknown;
type Target = BulkTarget<Row, object>;
// biome-ignore lint/suspicious/noExplicitAny: its input and answer are those of the declared contract
export type BulkChange = PreviewedChange<Target, any>;

/** Reading the list again takes a scan: until then rows that are gone must not stay below the proof. */
const dropRows = (client: QueryClient, key: readonly unknown[], isGone: (row: Row) => boolean): void => {
  client.setQueriesData<{ pages: { items: Row[] }[] }>(
    { queryKey: key },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({ ...page, items: page.items.filter((row) => !isGone(row)) })),
      },
  );
};

/** The change of several rows of a list that declares one. */
export const useBulkChange = (list: AnyList, onJob: (jobId: string) => void): BulkChange => {
  const client = useQueryClient();
  const { id } = useConnection();
  const key = queryKeyOf(list.contract, id);
  const { contract, inputOf } = list.bulk!;
  return usePreviewedChange<Target, typeof contract>(contract, {
    inputOf,
    onDone: (target, jobId) => {
      if ('rows' in target) target.clear?.();
      if (jobId !== null) onJob(jobId);
      else if ('rows' in target) {
        const gone = new Set(target.rows.map(list.rowId));
        dropRows(client, key, (row) => gone.has(list.rowId(row)));
      } else void client.resetQueries({ queryKey: queryKeyOf(list.contract, id, target.filter) });
    },
  });
};

/** Checkboxes, and the button above the table while some are checked. */
export const bulkSelection = (list: AnyList, t: Texts, ask: (target: Target) => void): Selection<Row> => ({
  rowLabel: (row) => t('bulk.select', { what: nameOf(list, row, t) }),
  actions: (rows, clear) =>
    rows.length > list.bulk!.max ? (
      <Text size="sm">{t('bulk.tooMany', { most: list.bulk!.max })}</Text>
    ) : (
      <Button size="xs" color="red" onClick={() => ask({ rows, clear })}>
        {t('bulk.verb', { count: rows.length })}
      </Button>
    ),
});

/** Disabled without a filter: the server refuses to change all of them too. */
export const OfMatches = ({ t, ready, onAsk }: { t: Texts; ready: boolean; onAsk: () => void }) => {
  const button = (
    <Button
      variant="default"
      leftSection={<IconTrash size={16} aria-hidden />}
      data-disabled={!ready || undefined}
      aria-disabled={!ready}
      onClick={() => ready && onAsk()}
    >
      {t('bulk.all')}
    </Button>
  );
  return ready ? button : <Tooltip label={t('bulk.filterFirst')}>{button}</Tooltip>;
};
