'use client';

import { IconSearchOff } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed, SmallNote } from '@/components/patterns/dimmed';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar, NO_STATUS, SearchField } from '@/components/patterns/filter-bar';
import { HostileText } from '@/components/patterns/hostile-text';
import { PageHeader } from '@/components/patterns/page-header';
import { Panel } from '@/components/patterns/panel';
import { TextLink } from '@/components/patterns/text-link';
import { useUrlState } from '@/components/patterns/use-url-state';
import classes from './find-page.module.css';
import type { Verb } from './typed';
import { useActions, useTyped } from './use-actions';
import { type Group, inOrder, useFind, useSafeText } from './use-find';

const FIELDS = { q: '' };

/** Everything that matches a text, by kind, with links to the complete lists. */
export const FindPage = () => {
  const t = useTranslations('shell.find');
  const tShell = useTranslations('shell');
  const connection = useConnection();
  const [{ q }, setUrl] = useUrlState(FIELDS);
  const { safe, isPending } = useSafeText(q);
  const typed = useTyped(safe);
  const actions = useActions(connection, typed);
  const groups = useFind(connection, typed);
  const isLooking = isPending || groups.some(({ state }) => state === 'loading');
  const shown = inOrder(groups).filter(({ matches, state }) => matches.length > 0 || state === 'failed');
  const further = groups.filter((group) => !group.isComplete && !shown.includes(group));
  const isEmpty = shown.length === 0 && actions.length === 0 && further.length === 0;
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence', { connection: connection.name })} />
      <FilterBar
        search={
          <SearchField
            value={q}
            onChange={(text) => setUrl({ q: text.trim() })}
            label={tShell('search')}
            noSecrets
          />
        }
        status={isLooking ? t('looking') : NO_STATUS}
      />
      {actions.length > 0 && (
        <Panel title={t('actions')}>
          <ul className={classes.rows}>
            {actions.map(({ id, label, href }) => (
              <li key={id}>
                <Row href={href}>{label}</Row>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <div className={classes.groups}>
        {shown.map((group) => (
          <Matches key={group.name} group={group} asked={typed?.verb ?? null} />
        ))}
        {!isLooking && further.length > 0 && (
          <Panel title={t('further')} note={t('furtherNote')}>
            <ul className={classes.rows}>
              {further.map(({ name, rest }) => (
                <li key={name}>
                  <Row href={rest}>{name}</Row>
                </li>
              ))}
            </ul>
          </Panel>
        )}
      </div>
      {!isLooking && isEmpty && (
        <EmptyState icon={<IconSearchOff size={20} />} title={t(safe === null ? 'begin' : 'none')}>
          {t('hint')}
        </EmptyState>
      )}
    </>
  );
};

const Row = ({ href, children }: { href: string; children: ReactNode }) => (
  <TextLink href={href}>{children}</TextLink>
);

const Matches = ({
  group: { name, verb, matches, state, isComplete, rest },
  asked,
}: {
  group: Group;
  asked: Verb | null;
}) => {
  const t = useTranslations('shell.find');
  const inWords = (label: string) => (verb && verb === asked ? t(`do.${verb}`, { what: label }) : label);
  return (
    <Panel title={name}>
      {state === 'failed' && <Dimmed>{t('failed')}</Dimmed>}
      <ul className={classes.rows}>
        {matches.map(({ id, label, note, href }) => (
          <li key={id}>
            <Row href={href}>
              <HostileText max={100}>{inWords(label)}</HostileText>
            </Row>
            {note && (
              <SmallNote className={classes.note}>
                <HostileText max={80}>{note}</HostileText>
              </SmallNote>
            )}
          </li>
        ))}
      </ul>
      {!isComplete && <Row href={rest}>{t('rest', { page: name })}</Row>}
    </Panel>
  );
};
