'use client';

import { ActionIcon, Button, Group } from '@mantine/core';
import {
  IconAlertTriangle,
  IconClockX,
  IconEye,
  IconHistory,
  IconPencil,
  IconTrash,
  IconTypography,
} from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { memo } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { SmallNote } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { MoreMenu } from '@/components/patterns/more-menu';
import { useNow } from '@/components/patterns/now';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Tooltip } from '@/components/patterns/tooltip';
import { useFormat } from '@/components/patterns/use-format';
import { useSentences } from '@/components/patterns/use-sentences';
import { useMay } from '@/components/patterns/viewer';
import { NAME_LIMIT, type Variable, type VariableProblem } from '@/lib/env/schema';
import { visibleText } from '@/lib/visible-text';
import { useDisplayName } from './display-name';
import classes from './env.module.css';
import { RevealedValue, type RevealVariable } from './revealed-value';
import { VariableValue } from './variable-value';

/** Actions on one variable that open a drawer. */
export type RowAction = 'edit' | 'history' | 'rename' | 'delete';

interface VariableRowProps {
  variable: Variable;
  /** When the list was read, epoch ms; TTLs count from then. */
  readAt: number;
  reveal: RevealVariable | null;
  onReveal: (variable: { name: string }) => void;
  onAction: (action: RowAction, variable: Variable) => void;
}

const ExpiresIn = ({ at }: { at: number }) => {
  const t = useTranslations('env.problem');
  const now = useNow('second');
  const { duration } = useFormat();
  return <>{t('ttl', { life: duration(Math.max(0, (at - (now ?? at)) / 1000)) })}</>;
};

const Problems = ({ variable, readAt }: Pick<VariableRowProps, 'variable' | 'readAt'>) => {
  const expiresAt = variable.ttlSeconds === null ? null : readAt + variable.ttlSeconds * 1000;
  const translate = useSentences();
  const text = (problem: VariableProblem) =>
    problem.code === 'ttl' && expiresAt !== null ? <ExpiresIn at={expiresAt} /> : translate(problem.message);
  return variable.problems.map((problem) => (
    <div key={`${problem.code} ${problem.message}`} className={classes.problem}>
      {problem.code === 'ttl' ? (
        <IconClockX size={14} aria-hidden />
      ) : (
        <IconAlertTriangle size={14} aria-hidden />
      )}
      <span>{text(problem)}</span>
    </div>
  ));
};

const LastChange = ({ variable }: { variable: Variable }) => {
  if (!variable.updatedAt) return null;
  return (
    <>
      <RelativeTime at={variable.updatedAt} />
      <div className={classes.quiet}>
        <HostileText max={40}>{variable.updatedBy}</HostileText>
      </div>
    </>
  );
};

/** Whether the list omits the value but it can be revealed: a secret, or a long value. */
const isRevealable = ({ type, value, valueBase64, lengthBytes }: Variable): boolean =>
  type === 'string' && value === null && !valueBase64 && lengthBytes <= 1024 * 1024;

const RowMenu = ({ variable, onAction }: Pick<VariableRowProps, 'variable' | 'onAction'>) => {
  const t = useTranslations('env.action');
  const tWord = useTranslations('words');
  const displayName = useDisplayName();
  return (
    <MoreMenu
      label={t('moreOf', { name: visibleText(displayName(variable.name), 60) })}
      items={[
        {
          id: 'rename',
          text: tWord('renameAsk'),
          left: <IconTypography size={15} aria-hidden />,
          onClick: () => onAction('rename', variable),
        },
        {
          id: 'delete',
          text: tWord('deleteAsk'),
          textColor: 'var(--kw-bad-text)',
          left: <IconTrash size={15} aria-hidden />,
          onClick: () => onAction('delete', variable),
        },
      ]}
    />
  );
};

const Actions = ({ variable, reveal, onReveal, onAction }: Omit<VariableRowProps, 'readAt'>) => {
  const t = useTranslations('env.action');
  const tWord = useTranslations('words');
  const mayReveal = useMay('env:reveal');
  const mayWrite = useMay('env:write');
  const { readOnly } = useConnection();
  const name = visibleText(useDisplayName()(variable.name), 60);
  // The list cuts longer names, so the variable cannot be addressed.
  if (variable.name.length > NAME_LIMIT) return null;
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      {mayReveal && isRevealable(variable) && !reveal?.shown && (
        <Tooltip label={tWord('revealMeans')}>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconEye size={15} aria-hidden />}
            aria-label={t('revealOf', { name })}
            loading={reveal?.isPending}
            onClick={() => onReveal({ name })}
          >
            {tWord('reveal')}
          </Button>
        </Tooltip>
      )}
      {mayWrite && !readOnly && variable.type === 'string' && (
        <Tooltip label={t('edit')}>
          <ActionIcon aria-label={tWord('editName', { name })} onClick={() => onAction('edit', variable)}>
            <IconPencil size={16} />
          </ActionIcon>
        </Tooltip>
      )}
      <Tooltip label={tWord('history')}>
        <ActionIcon aria-label={tWord('historyOf', { name })} onClick={() => onAction('history', variable)}>
          <IconHistory size={16} />
        </ActionIcon>
      </Tooltip>
      {mayWrite && !readOnly && <RowMenu variable={variable} onAction={onAction} />}
    </Group>
  );
};

/** One variable: name, value, problems, last change and actions. */
export const VariableRow = memo((props: VariableRowProps) => {
  const { variable, reveal } = props;
  const t = useTranslations('env');
  const displayName = useDisplayName();
  return (
    <li className={classes.row} data-row>
      <div className={classes.name}>
        <code>
          <HostileText max={100}>{displayName(variable.name)}</HostileText>
        </code>
        {variable.kind !== 'text' && <SmallNote>{t(`kind.${variable.kind}`)}</SmallNote>}
      </div>
      <div className={classes.value}>
        {reveal?.shown ? (
          <RevealedValue shown={reveal.shown} onHide={reveal.hide} />
        ) : (
          <VariableValue variable={variable} />
        )}
        {reveal?.error != null && <ProblemAlert error={reveal.error} />}
        <Problems variable={variable} readAt={props.readAt} />
      </div>
      <div className={classes.changed}>
        <LastChange variable={variable} />
      </div>
      <div className={classes.actions}>
        <Actions {...props} />
      </div>
    </li>
  );
});
VariableRow.displayName = 'VariableRow';
