'use client';

import { Button } from '@mantine/core';
import { IconTrash, IconUserOff } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { AllChanges } from '@/components/patterns/all-changes';
import { onDemand } from '@/components/patterns/on-demand';
import { useMay } from '@/components/patterns/viewer';
import type { EntityView } from '@/lib/entities/schema';
import type { EntityName } from './queries';

const OfflineDrawer = onDemand(
  async () => (await import('@/components/patterns/offline-drawer')).OfflineDrawer,
);
const InvalidateDrawer = onDemand(async () => (await import('./invalidate-drawer')).InvalidateDrawer);

interface EntityActionsProps {
  view: EntityView;
  of: EntityName;
  onJob: (jobId: string) => void;
}

/** What the viewer may change about an entity. */
export const EntityActions = ({ view, of, onJob }: EntityActionsProps) => {
  const t = useTranslations('entities.actionOf');
  const tWord = useTranslations('words');
  const mayInvalidate = useMay('caches:invalidate') && view.invalidates.length > 0;
  const mayWrite = useMay('keys:write');
  const [opened, setOpened] = useState<'invalidate' | 'offline' | null>(null);
  const close = () => setOpened(null);
  return (
    <>
      {/* The sessions of a user and what else is theirs have one history. */}
      {view.kind === 'user' ? (
        <AllChanges kind="user" name={view.id} />
      ) : (
        <AllChanges kind="entity" name={`${view.kind} ${view.id}`} />
      )}
      {mayWrite && view.online === true && (
        <Button
          variant="default"
          leftSection={<IconUserOff size={16} aria-hidden />}
          onClick={() => setOpened('offline')}
        >
          {t('offline')}
        </Button>
      )}
      {mayInvalidate && (
        <Button
          variant="light"
          color="red"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => setOpened('invalidate')}
        >
          {tWord('invalidate')}
        </Button>
      )}
      {mayWrite && (
        <OfflineDrawer user={view} named={{ userId: of.id }} opened={opened === 'offline'} onClose={close} />
      )}
      {mayInvalidate && (
        <InvalidateDrawer
          view={view}
          opened={opened === 'invalidate'}
          onClose={close}
          onJob={(jobId) => {
            close();
            onJob(jobId);
          }}
        />
      )}
    </>
  );
};
