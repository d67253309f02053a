'use client';

import { Badge, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { Consequence } from '@/components/patterns/consequence';
import { DuplicateJobAlert } from '@/components/patterns/duplicate-job-alert';
import { kindRef } from '@/components/patterns/entity-link';
import { HostileText } from '@/components/patterns/hostile-text';
import { previewQuery } from '@/components/patterns/invalidation-queries';
import { PreviewPanel } from '@/components/patterns/preview-panel';
import { useCommand } from '@/components/patterns/use-command';
import { ApiProblem } from '@/lib/api-client';
import type { EntityView } from '@/lib/entities/schema';
import type { InvalidationTarget, Preview } from '@/lib/families/schema';
import { familyContracts } from '@/lib/families/schema';
import classes from './entities.module.css';

interface InvalidateDrawerProps {
  view: EntityView;
  opened: boolean;
  onClose: () => void;
  /** The job started, or was already running. */
  onJob: (jobId: string) => void;
}

const verbKeyOf = (preview: Preview | undefined): 'invalidate' | 'verb' | 'verbAbout' => {
  if (!preview) return 'invalidate';
  return preview.exact ? 'verb' : 'verbAbout';
};

/** Deletes what is stale when this entity changes, by its application's rule. */
export const InvalidateDrawer = ({ view, opened, onClose, onJob }: InvalidateDrawerProps) => {
  const t = useTranslations('entities.invalidate');
  const words = useTranslations('families');
  const { id: connection } = useConnection();
  const target: InvalidationTarget = { entity: { kind: kindRef(view), id: view.id } };
  const query = useQuery(previewQuery(connection, opened ? target : null));
  const invalidate = useCommand(familyContracts.invalidate, connection);
  const [withoutUndo, setWithoutUndo] = useState(false);
  const preview = opened ? query.data : undefined;
  const asked = invalidate.error instanceof ApiProblem && invalidate.error.code === 'no_undo';
  const leave = (to: () => void) => {
    invalidate.reset();
    setWithoutUndo(false);
    to();
  };
  return (
    <ChangeDrawer
      operation="families.invalidate"
      opened={opened}
      onClose={() => leave(onClose)}
      title={t.rich('title', { name: () => <HostileText max={60}>{view.title || view.id}</HostileText> })}
      size={480}
      verb={words(verbKeyOf(preview), { count: preview?.keys ?? 0 })}
      destructive
      needsConfirmation
      stays="asItIs"
      staysValid={words('stays')}
      blocked={!preview || preview.keys === 0 || (!withoutUndo && !preview.undo.possible)}
      pending={invalidate.isPending}
      error={invalidate.error}
      onSubmit={(change) =>
        invalidate.mutate(
          { ...target, ...change, withoutUndo },
          { onSuccess: ({ jobId }) => leave(() => onJob(jobId)) },
        )
      }
    >
      <Stack gap="md">
        <span>{t('consequence')}</span>
        {preview && <Branches preview={preview} />}
        <PreviewPanel query={query} idle={false}>
          {(counted) => (
            <Consequence
              preview={counted}
              withoutUndo={withoutUndo}
              onWithoutUndo={setWithoutUndo}
              asked={asked}
            />
          )}
        </PreviewPanel>
        <DuplicateJobAlert error={invalidate.error} onJob={(jobId) => leave(() => onJob(jobId))} />
      </Stack>
    </ChangeDrawer>
  );
};

/** The branches of the rule where one needs a word; otherwise the families below say the same. */
const Branches = ({ preview }: { preview: Preview }) => {
  const t = useTranslations('families.target');
  if (preview.branches.every(({ known, wider }) => known && !wider)) return null;
  return (
    <ul className={classes.branches} aria-label={t('branches')}>
      {preview.branches.map(({ id, title, keys, known, wider }) => (
        <li key={id}>
          <span>
            {title}{' '}
            {(wider || !known) && (
              <Badge component="span" size="xs" color="orange">
                {t(known ? 'mark.wider' : 'mark.unknown')}
              </Badge>
            )}
          </span>
          <Text span size="sm" c="dimmed">
            {known ? t('branchKeys', { count: keys }) : '—'}
          </Text>
        </li>
      ))}
    </ul>
  );
};
