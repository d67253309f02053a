'use client';

import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import { IconListSearch } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { Drawer } from '@/components/patterns/drawer';
import { type Fact, Facts } from '@/components/patterns/facts';
import { Count } from '@/components/patterns/figures';
import { KeyText } from '@/components/patterns/hostile-text';
import { Link } from '@/components/patterns/link';
import { useLast } from '@/components/patterns/use-last';
import { useMay } from '@/components/patterns/viewer';
import type { Catalog, CatalogFamily } from '@/lib/catalog/schema';
import { useDriftWords } from './drift-words';
import { RoleLink } from './role-link';

interface FamilyDrawerProps {
  catalog: Catalog | undefined;
  /** Its id; empty: closed. */
  family: string;
  onFamily: (family: string) => void;
}

/** Everything the catalog says of a family, and how it differs from what is stored. */
export const FamilyDrawer = ({ catalog, family: id, onFamily }: FamilyDrawerProps) => {
  const family = catalog?.families.find((candidate) => candidate.id === id) ?? null;
  // The drawer keeps its content while it closes.
  const shown = useLast(family);
  return (
    <Drawer
      opened={family !== null}
      onClose={() => onFamily('')}
      inAddress
      width="detail"
      title={shown?.title ?? ''}
    >
      {shown && catalog && <OneFamily catalog={catalog} family={shown} onFamily={onFamily} />}
    </Drawer>
  );
};

interface OneFamilyProps {
  catalog: Catalog;
  family: CatalogFamily;
  onFamily: (family: string) => void;
}

const OneFamily = ({ catalog, family, onFamily }: OneFamilyProps) => {
  const t = useTranslations('catalog');
  const { id: connection } = useConnection();
  const mayView = useMay('keys:view');
  const facts = useFacts(catalog, family, onFamily);
  const driftWords = useDriftWords();
  const drift = catalog.drift.filter((row) => row.family === family.id);
  return (
    <Stack gap="md">
      <Text size="sm">{family.purpose}</Text>
      {family.shadowedBy !== null && (
        <Alert color="gray" title={t('drawer.shadowedTitle')}>
          {t('drawer.shadowed', { family: family.shadowedBy })}
        </Alert>
      )}
      {drift.length > 0 && (
        <Alert color="orange" title={t('tabs.drift')}>
          {drift.map((row) => (
            <Text key={`${row.what} ${row.documented} ${row.found}`} size="sm">
              {driftWords(row)}
            </Text>
          ))}
        </Alert>
      )}
      {mayView && family.type !== 'channel' && (
        <Button
          component={Link}
          href={`/${connection}/keys?family=${encodeURIComponent(family.id)}`}
          variant="default"
          leftSection={<IconListSearch size={16} aria-hidden />}
          style={{ alignSelf: 'start' }}
        >
          {t('drawer.viewKeys')}
        </Button>
      )}
      <Facts facts={facts} />
    </Stack>
  );
};

const useFacts = (
  { families }: Catalog,
  family: CatalogFamily,
  onFamily: (family: string) => void,
): (Fact | null)[] => {
  const t = useTranslations('catalog.drawer');
  const tWord = useTranslations('words');
  const { sensitive } = family;
  const masked = [
    ...sensitive.params.map((name) => t('param', { name })),
    ...sensitive.fields.map((name) => t('field', { name })),
    ...(sensitive.value ? [t('value')] : []),
  ];
  const use = family.cache ? 'cache' : family.guarded ? 'guarded' : 'other';
  const titleOf = (id: string) => families.find((family) => family.id === id)?.title;
  const listOr = (items: readonly string[]) => (items.length > 0 ? items.join(', ') : null);
  const fact = (label: string, value: string | null): Fact | null =>
    value === null ? null : { label, value };
  return [
    { label: t('id'), value: <code>{family.id}</code> },
    { label: tWord('pattern'), value: <KeyText max={300}>{family.pattern}</KeyText> },
    { label: tWord('role'), value: <RoleLink family={family} /> },
    fact(t('parts'), listOr(family.parts.map((part) => t('part', part)))),
    { label: tWord('type'), value: family.type },
    fact(t('otherTypes'), listOr(family.otherTypes)),
    { label: tWord('ttl'), value: family.ttl },
    { label: tWord('keys'), value: <Count value={family.keys} /> },
    { label: t('sensitive'), value: listOr(masked) ?? t('nothing') },
    fact(t('identifying'), listOr(family.identifyingFields)),
    { label: t('use'), value: t(use) },
    family.related.length === 0
      ? null
      : {
          label: t('related'),
          value: family.related.map((id) => {
            const title = titleOf(id);
            return title === undefined ? null : (
              <div key={id}>
                <Anchor component="button" size="sm" ta="start" onClick={() => onFamily(id)}>
                  {title}
                </Anchor>
              </div>
            );
          }),
        },
    { label: tWord('application'), value: family.app },
    { label: t('source'), value: family.source ?? t('builtIn') },
  ];
};
