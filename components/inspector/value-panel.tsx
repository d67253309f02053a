'use client';

import { Alert } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { Panel } from '@/components/patterns/panel';
import type { KeyDetails } from '@/lib/keys/schema';
import { isCollection } from './collections';
import type { OpenEdit } from './edits';
import { ElementTable } from './element-table';
import { PageLink } from './page-link';
import { StringValue } from './string-value';
import { VectorSet } from './vector-set';

interface ValuePanelProps {
  details: KeyDetails;
  view: string;
  match: string;
  onView: (view: string) => void;
  onMatch: (match: string) => void;
  /** null where the value cannot be changed. */
  onEdit: OpenEdit | null;
  /** Opens an element to look at it. */
  onOpen: OpenEdit;
}

/** The value of a key, or why no part of it is shown. */
export const ValuePanel = ({ details, view, match, onView, onMatch, onEdit, onOpen }: ValuePanelProps) => {
  const t = useTranslations('inspector.value');
  if (details.hidden !== null)
    return (
      <Panel title={t('title')}>
        <Hidden details={details} />
      </Panel>
    );
  if (details.string) return <StringValue details={details} view={view} onView={onView} />;
  if (isCollection(details.type)) return <ElementTable {...{ details, match, onMatch, onEdit, onOpen }} />;
  if (details.vectorSet) return <VectorSet {...{ details, match, onMatch }} of={details.vectorSet} />;
  return (
    <Panel title={t('title')}>
      <Alert color="gray">{t('unknownType', { type: details.type })}</Alert>
    </Panel>
  );
};

const Hidden = ({ details }: { details: KeyDetails }) => {
  const t = useTranslations('inspector.value.hidden');
  return (
    <Alert
      color="gray"
      icon={<IconEyeOff size={18} />}
      title={details.hidden === 'permission' ? t('permission', { needs: details.needs ?? '' }) : t('secret')}
    >
      {t(details.hidden === 'permission' ? 'permissionText' : 'secretText')} <PageLink page={details.page} />
    </Alert>
  );
};
