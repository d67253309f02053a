'use client';

import { Alert, Badge, Checkbox, Group, Switch, Table, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { MultilineText } from '@/components/patterns/multiline-text';
import type { Result } from '@/lib/contract';
import type { DiffLine, envContracts } from '@/lib/env/schema';
import { useDisplayName } from './display-name';
import classes from './env.module.css';

export type Plan = Result<typeof envContracts.import>;

const COLOR: Record<DiffLine['change'], string> = {
  create: 'green',
  update: 'indigo',
  delete: 'red',
  same: 'gray',
  refused: 'orange',
};
const ORDER: readonly DiffLine['change'][] = ['refused', 'create', 'update', 'delete', 'same'];
const MAX_ROWS = 500;

/** The plan without the lines that stay as they are. */
export const chosenOf = (plan: Plan, except: ReadonlySet<string>): Plan => {
  const diff = plan.diff.filter(({ name }) => !except.has(name));
  const count = (change: DiffLine['change']): number => diff.filter((line) => line.change === change).length;
  return {
    ...plan,
    diff,
    created: count('create'),
    updated: count('update'),
    deleted: count('delete'),
    refused: count('refused'),
  };
};

/** Number of lines that would be written but fail a check that is only a guess. */
export const doubtfulIn = (plan: Plan): number =>
  plan.diff.filter(({ change, problems }) => change !== 'refused' && change !== 'same' && problems.length > 0)
    .length;

export const changesIn = ({ created, updated, deleted }: Plan): number => created + updated + deleted;

const Value = ({ line, text }: { line: DiffLine; text: string | null }) => {
  const t = useTranslations('env.plan');
  if (text === null)
    return <span className={classes.quiet}>{line.secret && line.change !== 'same' ? '••••••••' : '—'}</span>;
  return (
    <span className={classes.plain}>
      <MultilineText maxLines={4} max={200}>
        {text}
      </MultilineText>
      {line.secret && t('secret')}
    </span>
  );
};

interface Choice {
  /** Names of the lines that stay as they are. */
  except: ReadonlySet<string>;
  onChoose: (name: string, chosen: boolean) => void;
}

const Line = ({ line, choice }: { line: DiffLine; choice: Choice | undefined }) => {
  const t = useTranslations('env.plan');
  const tWord = useTranslations('words');
  const displayName = useDisplayName();
  const at = line.problems.find((problem) => problem.line !== null)?.line ?? null;
  // A created variable has no value before, a deleted one none after.
  const [hasBefore, hasAfter] = [line.change !== 'create', line.change !== 'delete'];
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap={6} wrap="nowrap">
          {choice && line.change !== 'same' && (
            <Checkbox
              size="xs"
              aria-label={t('choose', { name: displayName(line.name) })}
              checked={!choice.except.has(line.name)}
              onChange={(event) => choice.onChoose(line.name, event.currentTarget.checked)}
            />
          )}
          <Badge color={COLOR[line.change]}>{t(`change.${line.change}`)}</Badge>
        </Group>
      </Table.Td>
      <Table.Td data-wide>
        {line.name === '' ? (
          <span className={classes.quiet}>{t('noName')}</span>
        ) : (
          <code className={classes.mono}>
            <HostileText max={100}>{displayName(line.name)}</HostileText>
          </code>
        )}
        {at !== null && <Dimmed size="xs">{t('line', { line: at })}</Dimmed>}
        {line.problems.map(({ message }) => (
          <div key={message} className={classes.problem}>
            {message}
          </div>
        ))}
      </Table.Td>
      <Table.Td data-wide data-label={tWord('now')}>
        {hasBefore ? <Value line={line} text={line.before} /> : '—'}
      </Table.Td>
      <Table.Td data-wide data-label={tWord('after')}>
        {hasAfter ? <Value line={line} text={line.after} /> : '—'}
      </Table.Td>
    </Table.Tr>
  );
};

/** Preview of an import or restore, line by line; lines that need review first. */
export const PlanTable = ({ plan, choice }: { plan: Plan; choice?: Choice }) => {
  const t = useTranslations('env.plan');
  const tWord = useTranslations('words');
  const [all, setAll] = useState(false);
  const lines = plan.diff
    .filter(({ change }) => all || change !== 'same')
    .sort((a, b) => ORDER.indexOf(a.change) - ORDER.indexOf(b.change));
  const counts = [
    ['create', plan.created],
    ['update', plan.updated],
    ['delete', plan.deleted],
    ['refused', plan.refused],
    ['same', plan.unchanged],
  ] as const;
  return (
    <div>
      <Group gap={6} mb="xs" role="status">
        {counts.map(
          ([change, count]) =>
            count > 0 && (
              <Badge key={change} color={COLOR[change]} size="lg">
                {t(`count.${change}`, { count })}
              </Badge>
            ),
        )}
        {plan.diff.length === 0 && <Text size="sm">{t('nothing')}</Text>}
      </Group>
      {plan.unchanged > 0 && (
        <Switch
          size="xs"
          mb="xs"
          label={t('showSame', { count: plan.unchanged })}
          checked={all}
          onChange={(event) => setAll(event.currentTarget.checked)}
        />
      )}
      {lines.length > 0 && (
        <section
          className={classes.planBox}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          aria-label={t('label')}
        >
          <Table className={classes.plan} fz="sm" verticalSpacing={6} aria-label={t('label')} stickyHeader>
            <Table.Thead>
              <Table.Tr>
                <Table.Th w={choice ? 124 : 96}>{t('column.change')}</Table.Th>
                <Table.Th>{t('column.name')}</Table.Th>
                <Table.Th>{tWord('now')}</Table.Th>
                <Table.Th>{tWord('after')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {lines.slice(0, MAX_ROWS).map((line, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a file may have one name on several lines
                <Line key={i} line={line} choice={choice} />
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
      {lines.length > MAX_ROWS && (
        <Dimmed size="xs" mt={4}>
          {t('cut', { shown: MAX_ROWS, count: lines.length })}
        </Dimmed>
      )}
      {plan.refused > 0 && (
        <Alert color="orange" mt="sm">
          {t('refused')}
        </Alert>
      )}
    </div>
  );
};
