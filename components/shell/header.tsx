'use client';

import { ActionIcon, Badge, Kbd, UnstyledButton } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { IconHelp, IconMenu2, IconSearch } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { memo } from 'react';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { Link } from '@/components/patterns/link';
import { isQuestion, letterOf, useShownLetter } from '@/components/patterns/shortcut';
import { useCommandKey } from './command-key';
import { ConnectionSwitcher } from './connection-switcher';
import { EnvironmentBadge } from './environment';
import { keepTyping } from './find/keep-typing';
import classes from './header.module.css';
import { JobWatcher } from './job-watcher';
import { LiveStatus } from './live-status';
import { Logo } from './logo';
import { ThemeToggle } from './theme-toggle';
import { UserMenu } from './user-menu';

interface HeaderProps {
  current: ConnectionFacts | null;
  onMenu: () => void;
  onHelp: () => void;
}

/** Fields, and widgets with keys of their own. */
const TAKES_KEYS =
  'input, textarea, select, [contenteditable="true"], [role="dialog"], [role="menu"], [role="listbox"]';

const openSearch = async () => (await import('./find/search')).openSearch();

export const Header = memo(({ current, onMenu, onHelp }: HeaderProps) => {
  const t = useTranslations('shell');
  useWindowEvent('keydown', (event) => {
    if (!isQuestion(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if ((event.target as Element).closest(TAKES_KEYS)) return;
    event.preventDefault();
    onHelp();
  });
  // Also from fields: after Esc the field of a closing drawer has the focus until the animation ends.
  useWindowEvent('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || letterOf(event) !== 'k')
      return;
    event.preventDefault();
    keepTyping();
    void openSearch();
  });
  const letter = useShownLetter('K');
  const command = useCommandKey();
  return (
    <header className={classes.header} data-environment={current?.environment}>
      <a href="#page" className={classes.skip}>
        {t('skip')}
      </a>
      <ActionIcon
        className={classes.burger}
        variant="subtle"
        color="gray"
        aria-label={t('openMenu')}
        onClick={onMenu}
      >
        <IconMenu2 size={20} />
      </ActionIcon>
      <Link href="/" className={classes.brand}>
        <Logo />
        <span>Keyward</span>
      </Link>
      <ConnectionSwitcher current={current} />
      {current && <EnvironmentBadge environment={current.environment} />}
      {current?.role === 'replica' && (
        <Badge color="orange" variant="light" tt="none" visibleFrom="sm" title={t('replicaNote')}>
          {t('replica')}
        </Badge>
      )}
      <UnstyledButton className={classes.search} onClick={() => void openSearch()} aria-label={t('search')}>
        <IconSearch size={16} aria-hidden />
        <span className={classes.searchText}>{t('searchHint')}</span>
        <Kbd size="xs" className={classes.searchKey} aria-hidden>
          {command}
          {letter}
        </Kbd>
      </UnstyledButton>
      <div className={classes.right}>
        <JobWatcher />
        {current && <LiveStatus />}
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('help')}
          className={classes.help}
          aria-haspopup="dialog"
          onClick={onHelp}
        >
          <IconHelp size={18} />
        </ActionIcon>
        <ThemeToggle />
        <UserMenu onHelp={onHelp} />
      </div>
    </header>
  );
});
