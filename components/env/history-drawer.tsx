'use client';

import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { ChangeHistory, FromTo, HistoryDrawer } from '@/components/patterns/change-history';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { KeyText } from '@/components/patterns/hostile-text';
import { useNow } from '@/components/patterns/now';
import { useMay } from '@/components/patterns/viewer';
import type { Variable } from '@/lib/env/schema';
import { EMPTY_NAME } from '@/lib/values/schema';
import { useDisplayName } from './display-name';
import { envQueries, type HistoryStep as Step } from './queries';

interface VariableHistoryProps {
  /** The variable's name; null while the drawer is closed. */
  name: string | null;
  /** The variable as it is listed; null if it is gone. */
  variable: Variable | null;
  /** Opens the value before a step to be saved again; `value` is null where only the server has it. */
  onRestore: (variable: Variable, step: Step, value: string | null) => void;
  onClose: () => void;
}

/** Who changed or revealed a variable, when and why. Values of secrets are not shown. */
export const VariableHistory = ({ name, onClose, ...of }: VariableHistoryProps) => {
  const displayName = useDisplayName();
  return (
    <HistoryDrawer
      name={name === null ? null : displayName(name)}
      {...(name !== EMPTY_NAME && { subject: 'variable' as const })}
      onClose={onClose}
    >
      {() => name !== null && <History name={name} {...of} />}
    </HistoryDrawer>
  );
};

const DID = {
  'env.set': 'set',
  'env.create': 'create',
  'env.delete': 'delete',
  'env.rename': 'rename',
  'env.reveal': 'reveal',
  'env.import': 'import',
  'env.restore': 'restore',
  'audit.undo': 'undo',
} as const;
const MANY: readonly string[] = ['env.import', 'env.restore'];

const didOf = (action: string) => DID[action as keyof typeof DID] ?? 'flag';

const isChange = ({ action, changed, renamed }: Step): boolean =>
  action !== 'audit.undo' && action !== 'env.reveal' && (changed || Boolean(renamed));

/** The newest change that is not undone, if it can be undone; it supersedes older ones. */
const undoableStep = (steps: readonly Step[], now: number | null): Step | null => {
  const newest = steps.find((step) => isChange(step) && step.undoneBy === null);
  const until = newest?.outcome === 'succeeded' && newest.undoUntil ? Date.parse(newest.undoUntil) : 0;
  return newest && now !== null && until > now ? newest : null;
};

type HistoryProps = Pick<VariableHistoryProps, 'variable' | 'onRestore'>;

const History = ({ name, variable, onRestore }: HistoryProps & { name: string }) => {
  const t = useTranslations('env.history');
  const tWord = useTranslations('words');
  const { id, readOnly } = useConnection();
  const mayWrite = useMay('env:write');
  const now = useNow();
  const query = useQuery(envQueries.history(id, name));
  return (
    <ChangeHistory
      query={query}
      title={(step) => t(`did.${didOf(step.action)}`)}
      difference={(step) => (
        <>
          <Difference step={step} />
          {variable && mayWrite && !readOnly && (
            <RestoreValue step={step} variable={variable} onRestore={onRestore} />
          )}
        </>
      )}
      undoable={(steps) => (mayWrite && !readOnly ? undoableStep(steps, now) : null)}
      undoLabel={(step) => t(MANY.includes(step.action) ? 'undoAll' : 'undo')}
      empty={{ title: tWord('noChanges'), text: t('emptyText') }}
    />
  );
};

const Difference = ({ step }: { step: Step }) => {
  const t = useTranslations('env.history');
  const displayName = useDisplayName();
  const [from, to] = step.renamed
    ? [displayName(step.renamed.from), displayName(step.renamed.to)]
    : [step.from, step.to];
  if (from === null && to === null) return isChange(step) ? <Dimmed size="xs">{t('hidden')}</Dimmed> : null;
  return <FromTo from={<KeyText max={80}>{from}</KeyText>} to={<KeyText max={80}>{to}</KeyText>} />;
};

interface RestoreValueProps extends Pick<HistoryProps, 'onRestore'> {
  step: Step;
  variable: Variable;
}

/** For the value before a step, where it is not the present one: as the log has it in full, or as undo keeps it. */
const RestoreValue = ({ step, variable, onRestore }: RestoreValueProps) => {
  const t = useTranslations('env.history');
  const known = step.fromCut ? null : step.from;
  if (known === null ? !step.kept : known === variable.value) return null;
  return (
    <Button size="compact-xs" variant="subtle" mt={4} onClick={() => onRestore(variable, step, known)}>
      {t('restoreValue')}
    </Button>
  );
};
