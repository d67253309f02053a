'use client';

import { ActionIcon, Anchor, Badge, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { basePath } from '@/lib/api-client';
import { type SavedView, savedViewContracts } from '@/lib/saved-views/schema';
import { useConnection } from './connection';
import { Dimmed } from './dimmed';
import { FormDrawer } from './form-drawer';
import { addressSearch, changeAddress } from './history-steps';
import { HostileText } from './hostile-text';
import { ProblemAlert } from './problem-alert';
import { QueryProblem } from './query-problem';
import { readQuery } from './read-query';
import { useUndoToast } from './undo-toast';
import { useCommand } from './use-command';
import { useMay } from './viewer';

/** Which columns of a table were shown or hidden by hand. */
export type ChosenColumns = Record<string, boolean>;

interface SavedViewsDrawerProps {
  table: string;
  columns: ChosenColumns;
  onColumns: (columns: ChosenColumns) => void;
  opened: boolean;
  onClose: () => void;
}

/** The page's path, and its query without `?`. */
const here = (): readonly [path: string, query: string] => [
  window.location.pathname.slice(basePath().length),
  addressSearch(),
];

const partsOf = ({ href }: SavedView): readonly [path: string, query: string] => {
  const [path = '', query = ''] = href.split('?');
  return [path, query];
};

/** The saved views of a list, and the form that saves it as it is. */
export const SavedViewsDrawer = ({ table, columns, onColumns, opened, onClose }: SavedViewsDrawerProps) => {
  const t = useTranslations('savedViews');
  const tWord = useTranslations('words');
  const mayShare = useMay('live:view');
  const [name, setName] = useInputState('');
  const [shared, setShared] = useInputState(false);
  const change = useCommand(savedViewContracts.create);
  return (
    <FormDrawer
      opened={opened}
      onClose={onClose}
      title={t('title')}
      verb={t('save')}
      withReason={false}
      onReadOnly
      blocked={name.trim() === ''}
      change={change}
      input={(words) => ({ name, table, href: here().filter(Boolean).join('?'), columns, shared, ...words })}
      done={({ view }) => t('done', { name: view.name })}
    >
      <Stack gap="sm">
        <Views
          table={table}
          onOpen={(view) => {
            onColumns(view.columns);
            changeAddress(partsOf(view)[1], 'open');
            onClose();
          }}
        />
        <Text size="sm">{t('explain')}</Text>
        <TextInput label={tWord('name')} value={name} maxLength={60} onChange={setName} />
        {mayShare && <Checkbox label={t('share')} checked={shared} onChange={setShared} />}
      </Stack>
    </FormDrawer>
  );
};

const Views = ({ table, onOpen }: { table: string; onOpen: (view: SavedView) => void }) => {
  const t = useTranslations('savedViews');
  const { id } = useConnection();
  const query = useQuery(readQuery(savedViewContracts.list, id, {}));
  const remove = useCommand(savedViewContracts.delete);
  const toast = useUndoToast();
  const mayUndo = useMay('users:manage');
  /** Asked for once more: only an admin can undo it. */
  const [asked, setAsked] = useState<string | null>(null);
  const views =
    query.data?.items.filter((view) => view.table === table && partsOf(view)[0] === here()[0]) ?? [];
  if (query.isError) return <QueryProblem of={query} />;
  return (
    <>
      {remove.isError && <ProblemAlert error={remove.error} />}
      {query.data && views.length === 0 && <Dimmed>{t('none')}</Dimmed>}
      {views.map((view) => (
        <Group key={view.id} justify="space-between" wrap="nowrap" gap="xs">
          <div>
            <Group gap="xs">
              <Anchor component="button" type="button" size="sm" ta="start" onClick={() => onOpen(view)}>
                <HostileText max={60}>{view.name}</HostileText>
              </Anchor>
              {view.shared && <Badge color="gray">{t('shared')}</Badge>}
            </Group>
            {view.shared && <Dimmed size="xs">{t('by', { who: view.by })}</Dimmed>}
          </div>
          {view.mayDelete && asked !== view.id && (
            <ActionIcon
              color="red"
              aria-label={t('delete', { name: view.name })}
              onClick={() => setAsked(view.id)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          )}
          {view.mayDelete && asked === view.id && (
            <Button
              size="compact-sm"
              color="red"
              autoFocus
              loading={remove.isPending && remove.variables.id === view.id}
              onClick={() =>
                remove.mutate(
                  { id: view.id },
                  {
                    onSuccess: ({ auditId, undoUntil }) =>
                      toast({
                        message: t('deleted', { name: view.name }),
                        auditId,
                        undoUntil: mayUndo ? undoUntil : null,
                      }),
                  },
                )
              }
            >
              {t('delete', { name: view.name })}
            </Button>
          )}
        </Group>
      ))}
    </>
  );
};
