'use client';

import { UnstyledButton } from '@mantine/core';
import { IconCheck, IconSelector } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { usePathname, useRouter } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { type ConnectionFacts, useConnections } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Menu } from '@/components/patterns/menu';
import { EnvironmentDot } from './environment';
import classes from './header.module.css';
import { shellQueries } from './queries';

/** The same page of another connection; from a global page, its overview. */
const samePage = (pathname: string, from: string | undefined, to: string): string => {
  const [, first, page] = pathname.split('/');
  return first === from && page ? `/${to}/${page}` : `/${to}/overview`;
};

export const ConnectionSwitcher = ({ current }: { current: ConnectionFacts | null }) => {
  const t = useTranslations('shell');
  const tWord = useTranslations('words');
  const connections = useConnections();
  const { data } = useQuery(shellQueries.connections());
  const router = useRouter();
  const pathname = usePathname();
  const statusOf = (id: string) => data?.items.find((item) => item.id === id)?.status ?? 'connecting';
  return (
    <Menu
      position="bottom-start"
      width={280}
      heading={tWord('connections')}
      items={connections.map((connection) => ({
        id: connection.id,
        left: <EnvironmentDot environment={connection.environment} />,
        right: connection.id === current?.id ? <IconCheck size={16} aria-label={t('theme.chosen')} /> : null,
        onClick: () => router.push(samePage(pathname, current?.id, connection.id)),
        text: (
          <>
            {connection.name}
            <Dimmed size="xs">
              {t(`environment.${connection.environment}`)} · {t(`status.${statusOf(connection.id)}`)}
              {connection.readOnly && ` · ${t(connection.role === 'replica' ? 'replica' : 'readOnly')}`}
            </Dimmed>
          </>
        ),
      }))}
    >
      <UnstyledButton
        className={classes.switcher}
        aria-label={t('switchConnection', { name: current?.name ?? '—' })}
      >
        {current && <EnvironmentDot environment={current.environment} />}
        <span className={classes.switcherText}>
          <span className={classes.switcherName}>{current?.name ?? '—'}</span>
          {current && <span>· {t(`environment.${current.environment}`)}</span>}
        </span>
        <IconSelector size={14} aria-hidden />
      </UnstyledButton>
    </Menu>
  );
};
