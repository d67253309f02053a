'use client';

import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useActionWords } from '@/components/patterns/action-words';
import { ChangeHistory, FromTo, HistoryDrawer } from '@/components/patterns/change-history';
import { useConnection } from '@/components/patterns/connection';
import { KeyText } from '@/components/patterns/hostile-text';
import { useNow } from '@/components/patterns/now';
import type { Flag } from '@/lib/flags/schema';
import { FlagDeleted } from './changed-meanwhile';
import { useObstacle } from './policy';
import { flagQueries } from './queries';
import { type Change, changesFlag, undoableChange } from './undoable-change';

interface FlagHistoryProps {
  /** The flag's name; null while the drawer is closed. */
  name: string | null;
  /** The flag as listed now; undefined if deleted or not loaded yet. */
  flag: Flag | undefined;
  loaded: boolean;
  /** Shows the flag on other connections; undefined without others. */
  onCompare: ((name: string) => void) | undefined;
  onClose: () => void;
}

/** A flag's changes: who, when, old and new value, and reason. */
export const FlagHistory = ({ name, flag, loaded, onCompare, onClose }: FlagHistoryProps) => (
  <HistoryDrawer name={name} subject="variable" onClose={onClose}>
    {(shown) => (
      <Stack gap="md">
        {loaded && !flag && <FlagDeleted name={shown} />}
        {onCompare && <CompareButton onClick={() => onCompare(shown)} />}
        <History name={shown} flag={flag} loaded={loaded} />
      </Stack>
    )}
  </HistoryDrawer>
);

const CompareButton = ({ onClick }: { onClick: () => void }) => {
  const t = useTranslations('flags.compare');
  return (
    <Button variant="default" size="compact-sm" style={{ alignSelf: 'start' }} onClick={onClick}>
      {t('others')}
    </Button>
  );
};

interface HistoryProps {
  name: string;
  flag: Flag | undefined;
  loaded: boolean;
}

const History = ({ name, flag, loaded }: HistoryProps) => {
  const t = useTranslations('flags.history');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const words = useActionWords();
  const mayChange = useObstacle() === null;
  const query = useQuery(flagQueries.history(id, name));
  const now = useNow() ?? 0;
  return (
    <ChangeHistory
      query={query}
      title={({ action }) => words(action)}
      difference={(change) => changesFlag(change) && <Difference {...change} />}
      undoable={(changes) => (mayChange && loaded ? undoableChange(changes, flag, now) : null)}
      empty={{ title: tWord('noChanges'), text: t('emptyText') }}
    />
  );
};

/** Old and new value; "none" where the flag did not exist. */
const Difference = ({ from, to }: Change) => {
  const t = useTranslations('flags.history');
  const shown = (value: string | null) =>
    value === null ? <span>{t('none')}</span> : <KeyText max={40}>{value}</KeyText>;
  return <FromTo from={shown(from)} to={shown(to)} />;
};
