'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn, keyLinkColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { TablePanel } from '@/components/data-table/table-panel';
import type { Result } from '@/lib/contract';
import type { viewContracts } from '@/lib/views/schema';

type ViewImport = Result<typeof viewContracts.top>['imports'][number];

const idOf = ({ keyId }: ViewImport): string => keyId;

/** The imports of views, with what each says about itself. */
export const ImportsPanel = ({ imports }: { imports: ViewImport[] }) => {
  const t = useTranslations('views.imports');
  const columns = useMemo(
    (): DataColumn<ViewImport>[] => [
      keyLinkColumn({ header: t('key'), width: 220 }),
      timeColumn({ id: 'at', header: t('at'), width: 100, of: ({ at }) => at }),
      countColumn({
        id: 'publications',
        header: t('publications'),
        width: 110,
        of: ({ publications }) => publications,
      }),
      countColumn({ id: 'total', header: t('total'), width: 110, of: (row) => row.totalExact ?? row.total }),
    ],
    [t],
  );
  return (
    <TablePanel
      title={t('title')}
      note={t('note')}
      nothing={t('none')}
      name="view-imports"
      columns={columns}
      rows={imports}
      rowId={idOf}
    />
  );
};
