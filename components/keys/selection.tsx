'use client';

import { Button, Text } from '@mantine/core';
import { IconClockEdit, IconFileExport, IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { Selection } from '@/components/data-table/columns';
import { onDemand } from '@/components/patterns/on-demand';
import { useMay } from '@/components/patterns/viewer';
import type { KeyRow } from '@/lib/keys/schema';
import { visibleText } from '@/lib/visible-text';
import type { SelectedKeysProps } from './selected-keys';

const DeleteDrawer = onDemand(async () => (await import('./delete-drawer')).DeleteDrawer);
const ExportDrawer = onDemand(async () => (await import('./export-drawer')).ExportDrawer);
const TtlDrawer = onDemand(async () => (await import('./ttl-drawer')).TtlDrawer);

/** The maximum of key ids in one request. */
const MAX_SELECTED = 1000;

type Action = 'delete' | 'ttl' | 'export';

interface Asked {
  action: Action;
  keyIds: string[];
  clear: () => void;
}

/** The actions on selected keys that the role permits, and their drawers. */
export const useKeySelection = (showJob: (jobId: string) => void) => {
  const t = useTranslations('keys.selection');
  const tKeys = useTranslations('keys');
  const tWord = useTranslations('words');
  const mayWrite = useMay('keys:write');
  const [asked, setAsked] = useState<Asked | null>(null);
  const [opened, setOpened] = useState(false);
  const selection: Selection<KeyRow> = {
    rowLabel: ({ key }) => tWord('select', { key: visibleText(key, 80) }),
    actions: (rows, clear) => {
      if (rows.length > MAX_SELECTED) return <Text size="sm">{t('tooMany', { most: MAX_SELECTED })}</Text>;
      const count = rows.length;
      const ask = (action: Action) => () => {
        setAsked({ action, keyIds: rows.map(({ keyId }) => keyId), clear });
        setOpened(true);
      };
      return (
        <>
          <Button
            size="xs"
            color="red"
            leftSection={<IconTrash size={14} aria-hidden />}
            onClick={ask('delete')}
          >
            {t('delete', { count })}
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconClockEdit size={14} aria-hidden />}
            onClick={ask('ttl')}
          >
            {t('ttl', { count })}
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconFileExport size={14} aria-hidden />}
            onClick={ask('export')}
          >
            {tKeys('export.verb', { count })}
          </Button>
        </>
      );
    },
  };
  const close = () => setOpened(false);
  const propsOf = (action: Action): SelectedKeysProps => ({
    keyIds: asked?.action === action ? asked.keyIds : [],
    opened: opened && asked?.action === action,
    onClose: close,
    onJob: (jobId) => {
      close();
      asked?.clear();
      showJob(jobId);
    },
  });
  return {
    selection: mayWrite ? selection : undefined,
    drawers: mayWrite && (
      <>
        <DeleteDrawer {...propsOf('delete')} />
        <TtlDrawer {...propsOf('ttl')} />
        <ExportDrawer {...propsOf('export')} />
      </>
    ),
  };
};
