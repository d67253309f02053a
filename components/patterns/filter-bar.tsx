'use client';

import { ActionIcon, Button, Group, TextInput, useMantineTheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAdjustmentsHorizontal, IconFilterX, IconSearch } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { Children, type ReactNode } from 'react';
import { onDemand } from '@/components/patterns/on-demand';
import classes from './filter-bar.module.css';
import { useLooksSecret } from './looks-secret';
import { textWidth } from './text-width';
import { useLive } from './use-live';
import { useNarrow } from './use-narrow';
import { useTypedText } from './use-typed-text';

const Drawer = onDemand(async () => (await import('./drawer')).Drawer);

interface FilterBarProps {
  /** The text filter, visible at any width. */
  search?: ReactNode;
  /** The other filters; on a phone they are in a sheet. */
  children?: ReactNode;
  /** How many of the other filters are set. */
  active?: number;
  /** Buttons next to the filters, visible at any width. */
  actions?: ReactNode;
  /** Offered while the list is filtered. */
  onClear?: (() => void) | undefined;
  /** The number of results, announced when it changes; `NO_STATUS` keeps its space until it is known. */
  status?: ReactNode;
}

/** Reserves the status line of a list that is loading. */
export const NO_STATUS = '\u00a0';

/** The filters above a table. */
export const FilterBar = ({ search, children, active = 0, actions, onClear, status }: FilterBarProps) => {
  const isNarrow = useNarrow();
  const live = useLive();
  return (
    <Group component="search" gap="xs" mb="sm" align="flex-start" className={classes.bar}>
      {search}
      {isNarrow && Children.toArray(children).length > 0 ? (
        <FilterSheet active={active}>{children}</FilterSheet>
      ) : (
        children
      )}
      {actions}
      {onClear && <Clear onClear={onClear} isNarrow={isNarrow} />}
      {status && (
        <span aria-live={live} className={classes.status}>
          {status}
        </span>
      )}
    </Group>
  );
};

const Clear = ({ onClear, isNarrow }: { onClear: () => void; isNarrow: boolean }) => {
  const { primaryColor } = useMantineTheme();
  const t = useTranslations('patterns.filter');
  return isNarrow ? (
    <ActionIcon color={primaryColor} size={44} aria-label={t('clear')} onClick={onClear}>
      <IconFilterX size={20} aria-hidden />
    </ActionIcon>
  ) : (
    <Button variant="subtle" size="sm" onClick={onClear}>
      {t('clear')}
    </Button>
  );
};

/** The same fields in a sheet at the bottom of a phone, within reach of the thumb. */
const FilterSheet = ({ active, children }: { active: number; children: ReactNode }) => {
  const t = useTranslations('patterns.filter');
  const [opened, sheet] = useDisclosure(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconAdjustmentsHorizontal size={18} aria-hidden />}
        aria-haspopup="dialog"
        onClick={sheet.open}
      >
        {t('open', { count: active })}
      </Button>
      <Drawer opened={opened} onClose={sheet.close} position="bottom" size="auto" title={t('title')}>
        <div className={classes.fields}>
          {children}
          <Button onClick={sheet.close}>{t('show')}</Button>
        </div>
      </Drawer>
    </>
  );
};

interface SearchFieldProps {
  value: string;
  /** Called when typing pauses for 250 ms, and immediately on Enter. */
  onChange: (value: string) => void;
  label: string;
  placeholder?: string;
  /** Text that looks like a token stays in the field: it enters neither the page's URL nor a request. */
  noSecrets?: boolean;
}

/** A text filter. The table's shortcut `/` focuses it. */
export const SearchField = ({ value, onChange, label, placeholder = label, noSecrets }: SearchFieldProps) => {
  const t = useTranslations('patterns.filter');
  const { text, onType, onEnter } = useTypedText(value, onChange, noSecrets);
  const refused = useLooksSecret()?.(text) === true && noSecrets === true;
  return (
    <TextInput
      data-table-search
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      maxLength={200}
      className={classes.search}
      style={{ '--kw-text-width': `${textWidth(placeholder)}px` }}
      onChange={(event) => onType(event.currentTarget.value)}
      onKeyDown={onEnter}
      error={refused && t('secret')}
    />
  );
};
