'use client';

import { ActionIcon, Checkbox, Group, Stack } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import { Drawer } from '@/components/patterns/drawer';
import { Tooltip } from '@/components/patterns/tooltip';
import type { TileId } from '@/lib/users/preferences/schema';
import { useTiles } from './use-tiles';

interface TileDrawerProps {
  opened: boolean;
  onClose: () => void;
}

/** Chooses the figures at the top of the overview and their order. Each change takes effect at once. */
export const TileDrawer = ({ opened, onClose }: TileDrawerProps) => {
  const t = useTranslations('overview.tile');
  const { offered, shown, toggle, move } = useTiles();
  const nameOf = (id: TileId) => (id === 'guard' ? t('guardFigures') : t(id));
  return (
    <Drawer opened={opened} onClose={onClose} title={t('choose')} width="form">
      <Dimmed mb="sm">{t('chooseNote')}</Dimmed>
      <Stack gap={4} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {offered.map((id, place) => (
          <Group key={id} component="li" justify="space-between" wrap="nowrap">
            <Checkbox label={nameOf(id)} checked={shown.includes(id)} onChange={() => toggle(id)} />
            <Group gap={2} wrap="nowrap">
              <MoveButton
                label={t('moveUp', { name: nameOf(id) })}
                icon={IconArrowUp}
                disabled={place === 0}
                onClick={() => move(id, -1)}
              />
              <MoveButton
                label={t('moveDown', { name: nameOf(id) })}
                icon={IconArrowDown}
                disabled={place === offered.length - 1}
                onClick={() => move(id, 1)}
              />
            </Group>
          </Group>
        ))}
      </Stack>
    </Drawer>
  );
};

interface MoveButtonProps {
  label: string;
  icon: typeof IconArrowUp;
  disabled: boolean;
  onClick: () => void;
}

const MoveButton = ({ label, icon: Icon, disabled, onClick }: MoveButtonProps) => (
  <Tooltip label={label}>
    {/* It keeps the focus at the end of the list, so that the keyboard does not lose its place. */}
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={label}
      aria-disabled={disabled || undefined}
      data-disabled={disabled || undefined}
      onClick={() => !disabled && onClick()}
    >
      <Icon size={16} aria-hidden />
    </ActionIcon>
  </Tooltip>
);
