'use client';

import { useTranslations } from 'next-intl';
import { countColumn, keyLinkColumn, timeColumn } from '@/components/data-table/column-kinds';
import { declareColumns, useDeclaredColumns } from '@/components/data-table/declared-columns';
import { TablePanel } from '@/components/data-table/table-panel';
import type { Result } from '@/lib/contract';
import type { viewContracts } from '@/lib/views/schema';

type ViewImport = Result<typeof viewContracts.top>['imports'][number];

export const IMPORT_COLUMNS = declareColumns<ViewImport>('views.imports', [
  keyLinkColumn({ width: 220 }),
  timeColumn<ViewImport>({ id: 'at', width: 100 }),
  countColumn<ViewImport>({ id: 'publications', width: 110 }),
  countColumn<ViewImport>({ id: 'total', width: 110, of: (row) => row.totalExact ?? row.total }),
]);

/** The imports of views, with what each says about itself. */
export const ImportsPanel = ({ imports }: { imports: ViewImport[] }) => {
  const t = useTranslations('views.imports');
  const columns = useDeclaredColumns(IMPORT_COLUMNS);
  return (
    <TablePanel
      title={t('title')}
      note={t('note')}
      nothing={t('none')}
      name="view-imports"
      columns={columns}
      rows={imports}
      rowId={({ keyId }) => keyId}
    />
  );
};
