'use client';

import { Alert } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { Panel } from '@/components/patterns/panel';
import { RevealButton } from '@/components/patterns/reveal-button';
import { useReveal } from '@/components/patterns/use-reveal';
import { type KeyDetails, keyContracts } from '@/lib/keys/schema';
import { isCollection } from './collections';
import type { OpenEdit } from './edits';
import { ElementTable } from './element-table';
import { PageLink } from './page-link';
import { PAGE_ELEMENTS } from './queries';
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
  /** Opens the details of an element. */
  onOpen: OpenEdit;
}

/** The value of a key, or why none of it is shown. */
export const ValuePanel = ({
  details: given,
  view,
  match,
  onView,
  onMatch,
  onEdit,
  onOpen,
}: ValuePanelProps) => {
  const t = useTranslations('keys.inspector.value');
  const tWord = useTranslations('words');
  const reveal = useReveal(keyContracts.reveal);
  const bar = (
    <RevealButton
      reveal={reveal}
      revealable={given.revealable}
      input={{ keyId: given.keyId, limit: PAGE_ELEMENTS }}
    />
  );
  if (given.hidden !== null && !reveal.shown)
    return (
      <Panel title={tWord('value')}>
        <Hidden details={given} />
        {given.hidden === 'secret' && bar}
      </Panel>
    );
  const details = reveal.shown ? { ...given, ...reveal.shown.answer, hidden: null, nextCursor: null } : given;
  if (details.string)
    return (
      <div>
        <StringValue details={details} view={view} onView={onView} />
        {(reveal.shown || details.string.page.masked) && bar}
      </div>
    );
  if (isCollection(details.type))
    return (
      <div>
        {reveal.shown && bar}
        <ElementTable {...{ details, match, onMatch, onOpen }} onEdit={reveal.shown ? null : onEdit} />
      </div>
    );
  if (details.vectorSet) return <VectorSet {...{ details, match, onMatch }} of={details.vectorSet} />;
  return (
    <Panel title={tWord('value')}>
      <Alert color="gray">{t('unknownType', { type: details.type })}</Alert>
    </Panel>
  );
};

const Hidden = ({ details }: { details: KeyDetails }) => {
  const t = useTranslations('keys.inspector.value.hidden');
  return (
    <Alert
      color="gray"
      icon={<IconEyeOff size={18} />}
      title={details.hidden === 'permission' ? t('permission', { needs: details.needs ?? '' }) : t('secret')}
    >
      {t(
        details.hidden === 'permission' ? 'permissionText' : details.revealable ? 'guessText' : 'secretText',
      )}{' '}
      <PageLink page={details.page} />
    </Alert>
  );
};
