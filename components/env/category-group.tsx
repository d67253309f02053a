'use client';

import { Anchor, Badge, Box, Button, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconPlus } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useId, useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed, SmallNote } from '@/components/patterns/dimmed';
import { Link } from '@/components/patterns/link';
import { useFormat } from '@/components/patterns/use-format';
import { useMay } from '@/components/patterns/viewer';
import type { Variable } from '@/lib/env/schema';
import classes from './env.module.css';
import type { RevealVariable } from './revealed-value';
import type { Missing, ShownGroup } from './selection';
import { type RowAction, VariableRow } from './variable-row';

interface CategoryGroupProps {
  group: ShownGroup;
  opened: boolean;
  onToggle: () => void;
  readAt: number;
  reveal: RevealVariable;
  onAction: (action: RowAction, variable: Variable) => void;
  onCreate: (name: string) => void;
}

/** Rows rendered before "Show all" is pressed. */
const PAGE_SIZE = 100;

const MissingRow = ({ missing, onCreate }: { missing: Missing; onCreate: (name: string) => void }) => {
  const t = useTranslations('env');
  const mayWrite = useMay('env:write');
  const { readOnly } = useConnection();
  return (
    <li className={classes.row} data-missing>
      <div className={classes.name}>
        <code>{missing.name}</code>
        <SmallNote>{t('missing.label')}</SmallNote>
      </div>
      <div className={classes.value}>
        <span className={classes.quiet}>{t('missing.explain')}</span>
      </div>
      <div className={classes.changed} />
      <div className={classes.actions} data-end>
        {mayWrite && !readOnly && (
          <Button
            size="compact-sm"
            variant="light"
            leftSection={<IconPlus size={14} aria-hidden />}
            aria-label={t('missing.createOf', { name: missing.name })}
            onClick={() => onCreate(missing.name)}
          >
            {t('create.verb')}
          </Button>
        )}
      </div>
    </li>
  );
};

const GroupHead = ({
  group,
  opened,
  onToggle,
  body,
}: Pick<CategoryGroupProps, 'group' | 'opened' | 'onToggle'> & { body: string }) => {
  const t = useTranslations('env');
  const { count } = useFormat();
  const problems = group.variables.filter((variable) => variable.problems.length > 0).length;
  return (
    <Box component="h2" m={0} fz="inherit">
      <UnstyledButton
        className={classes.toggle}
        aria-expanded={opened}
        aria-controls={body}
        onClick={onToggle}
      >
        <IconChevronDown
          size={16}
          aria-hidden
          className={classes.chevron}
          data-closed={!opened || undefined}
        />
        <span>{t(`category.${group.category}.title`)}</span>
        <span className={classes.count}>{count(group.variables.length)}</span>
        <span className={classes.patterns}>{t(`category.${group.category}.patterns`)}</span>
        <span className={classes.flagsOf}>
          {problems > 0 && <Badge color="orange">{t('group.problems', { count: problems })}</Badge>}
          {group.missing.length > 0 && (
            <Badge color="gray">{t('group.missing', { count: group.missing.length })}</Badge>
          )}
        </span>
      </UnstyledButton>
    </Box>
  );
};

/** A category with its variables, and the documented variables that are not set. */
export const CategoryGroup = ({
  group,
  opened,
  onToggle,
  readAt,
  reveal,
  onAction,
  onCreate,
}: CategoryGroupProps) => {
  const t = useTranslations('env');
  const { id } = useConnection();
  const body = useId();
  const [all, setAll] = useState(false);
  const rows = all ? group.variables : group.variables.slice(0, PAGE_SIZE);
  const nameOf = (name: string) => (reveal.input?.name === name ? reveal : null);
  return (
    <section className={classes.group} aria-label={t(`category.${group.category}.title`)}>
      <GroupHead group={group} opened={opened} onToggle={onToggle} body={body} />
      <div id={body} hidden={!opened}>
        {opened && (
          <>
            {group.category === 'features' && (
              <Dimmed size="xs" className={classes.groupNote}>
                {t.rich('group.flags', {
                  link: (words) => (
                    <Anchor component={Link} href={`/${id}/flags`} inherit underline="always">
                      {words}
                    </Anchor>
                  ),
                })}
              </Dimmed>
            )}
            <ul className={classes.rows}>
              {rows.map((variable) => (
                <VariableRow
                  key={variable.name}
                  variable={variable}
                  readAt={readAt}
                  reveal={nameOf(variable.name)}
                  onReveal={reveal.reveal}
                  onAction={onAction}
                />
              ))}
              {group.missing.map((missing) => (
                <MissingRow key={missing.name} missing={missing} onCreate={onCreate} />
              ))}
            </ul>
            {rows.length < group.variables.length && (
              <Button variant="subtle" fullWidth onClick={() => setAll(true)}>
                {t('group.all', { count: group.variables.length })}
              </Button>
            )}
          </>
        )}
      </div>
    </section>
  );
};
