'use client';

import { Button, Stack, Title } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { EntityLink, IdBesideTitle } from '@/components/patterns/entity-link';
import { HostileText } from '@/components/patterns/hostile-text';
import { KeyLink } from '@/components/patterns/key-link';
import { Panel } from '@/components/patterns/panel';
import { TextLink } from '@/components/patterns/text-link';
import touch from '@/components/patterns/touch.module.css';
import { useMay } from '@/components/patterns/viewer';
import type { DanglingRef, EntityKindRow, EntityView, OneSidedRef } from '@/lib/entities/schema';
import { kindNamed, relationTitle } from './address';
import classes from './entities.module.css';

/** Rows shown of each kind of damage, at first and with each further step: there may be thousands. */
const SHOWN = 10;
const STEP = 200;

interface DamageProps {
  view: EntityView;
  kinds: readonly EntityKindRow[];
}

/** What is damaged about an entity, a sentence each: dangling references, one-sided relations, partial sets. */
export const DamagePanel = ({ view, kinds }: DamageProps) => {
  const t = useTranslations('entities.damage');
  const partial = view.relations.filter(({ problem }) => problem === 'partial');
  const unread = view.relations.filter(({ problem }) => problem === 'wrongType' || problem === 'unreadable');
  const found = view.dangling.length + view.oneSided.length + partial.length + unread.length;
  return (
    <Panel title={t('title')} note={<Checked view={view} />}>
      {found === 0 ? (
        <Dimmed>{t('none', { count: view.relations.filter(({ count }) => count !== 0).length })}</Dimmed>
      ) : (
        <Stack gap="md">
          <Damage what="dangling" count={view.dangling.length}>
            {view.dangling.map((ref, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a list may have the same element twice
              <Dangling of={ref} view={view} key={`${ref.relation} ${ref.member} ${place}`} />
            ))}
          </Damage>
          <Damage what="oneSided" count={view.oneSided.length}>
            {view.oneSided.map((ref, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a list may have the same element twice
              <OneSided of={ref} view={view} kinds={kinds} key={`${ref.relation} ${ref.id} ${place}`} />
            ))}
          </Damage>
          <Damage what="partial" count={partial.length}>
            {partial.map(({ relation, title, count, counted, key, keyId }) => (
              <li key={relation}>
                {t('partialOne', { title, count: count ?? 0, counted: counted ?? 0 })}{' '}
                {keyId && key && <KeyLink keyId={keyId}>{key}</KeyLink>}
              </li>
            ))}
          </Damage>
          <Damage what="wrongType" count={unread.length}>
            {unread.map(({ relation, title, type, key, keyId }) => (
              <li key={relation}>
                {t('wrongTypeOne', { title, type: type ?? '—' })}{' '}
                {keyId && key && <KeyLink keyId={keyId}>{key}</KeyLink>}
              </li>
            ))}
          </Damage>
        </Stack>
      )}
    </Panel>
  );
};

/** How much was looked at, and where the rest is found. */
const Checked = ({ view: { checked, app, kind } }: { view: EntityView }) => {
  const t = useTranslations('entities.damage');
  const tEntities = useTranslations('entities');
  const { id } = useConnection();
  const mayCheck = useMay('analysis:run');
  const search = new URLSearchParams({ tab: 'check', kind: `${app}.${kind}` });
  return (
    <>
      {t(checked.complete ? 'checked' : 'checkedPart', { count: checked.references })}{' '}
      {!checked.complete && mayCheck && (
        <TextLink size="xs" underline="always" href={`/${id}/entities?${search}`}>
          {tEntities('tab.check')}
        </TextLink>
      )}
    </>
  );
};

interface ListProps {
  what: 'dangling' | 'oneSided' | 'partial' | 'wrongType';
  count: number;
  children: ReactNode[];
}

const Damage = ({ what, count, children }: ListProps) => {
  const t = useTranslations('entities.damage');
  const [shown, setShown] = useState(SHOWN);
  if (count === 0) return null;
  return (
    <div>
      <Title order={3} size="h5">
        {t(`${what}.title`, { count })}
      </Title>
      <Dimmed mb={4}>{t(`${what}.text`)}</Dimmed>
      <ul className={classes.damage} aria-label={t(`${what}.title`, { count })}>
        {children.slice(0, shown)}
      </ul>
      {count > shown && (
        <Button
          size="compact-sm"
          variant="default"
          mt="xs"
          className={touch.thumb}
          onClick={() => setShown(shown + STEP)}
        >
          {t('more', { count: count - shown })}
        </Button>
      )}
    </div>
  );
};

const Dangling = ({ of, view }: { of: DanglingRef; view: EntityView }) => {
  const t = useTranslations('entities.damage');
  const { relation, why, member, key, keyId } = of;
  return (
    <li>
      {t.rich(`dangling.${why}`, {
        relation: relationTitle(view.relations, relation),
        member: () => <HostileText max={80}>{member}</HostileText>,
      })}{' '}
      {keyId && <KeyLink keyId={keyId}>{key}</KeyLink>}
    </li>
  );
};

const OneSided = ({
  of,
  view,
  kinds,
}: {
  of: OneSidedRef;
  view: EntityView;
  kinds: readonly EntityKindRow[];
}) => {
  const t = useTranslations('entities.damage');
  const other = kindNamed(kinds, `${of.app}.${of.kind}`)?.relations ?? [];
  return (
    <li>
      {t.rich(of.stored ? 'oneSided.stored' : 'oneSided.notStored', {
        relation: relationTitle(view.relations, of.relation),
        lacks: relationTitle(other, of.lacks),
        other: () => (
          <>
            <EntityLink of={of} />
            <IdBesideTitle of={of} />
          </>
        ),
      })}
    </li>
  );
};
