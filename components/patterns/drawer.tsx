'use client';

import {
  Drawer as MantineDrawer,
  type DrawerProps as MantineDrawerProps,
  Modal as MantineModal,
  type ModalProps as MantineModalProps,
} from '@mantine/core';
import { useEffect, useEffectEvent } from 'react';
import { drawerClosed, drawerOpened } from './history-steps';
import { useReturnFocus } from './return-focus';

interface HistoryProps {
  /** A field of the address opens and closes it (`opens` of `useUrlState`): it takes no step of its own. */
  inAddress?: boolean;
  /** While this holds neither Esc nor Back closes it: a change is being sent. */
  locked?: boolean;
}

interface Dialog extends HistoryProps {
  opened: boolean;
  onClose: () => void;
  closeOnEscape?: boolean | undefined;
}

const useHistoryStep = (dialog: Dialog): void => {
  const { opened, inAddress = false } = dialog;
  const close = useEffectEvent((): boolean => {
    if (dialog.locked || dialog.closeOnEscape === false) return false;
    dialog.onClose();
    return true;
  });
  useEffect(() => {
    if (!opened || inAddress) return;
    const step = { close: () => close() };
    drawerOpened(step);
    return () => drawerClosed(step);
  }, [opened, inAddress]);
};

/** Mantine's Drawer that Back closes, and that returns the focus to what opened it. */
export const Drawer = ({ inAddress, locked, ...drawer }: MantineDrawerProps & HistoryProps) => {
  const { opened, onClose, closeOnEscape } = drawer;
  useReturnFocus(opened);
  useHistoryStep({ opened, onClose, closeOnEscape, inAddress, locked });
  return <MantineDrawer {...drawer} onClose={() => !locked && onClose()} returnFocus={false} />;
};

/** Mantine's Modal that Back closes, and that returns the focus to what opened it. */
export const Modal = ({ inAddress, locked, ...modal }: MantineModalProps & HistoryProps) => {
  const { opened, onClose, closeOnEscape } = modal;
  useReturnFocus(opened);
  useHistoryStep({ opened, onClose, closeOnEscape, inAddress, locked });
  return <MantineModal {...modal} onClose={() => !locked && onClose()} returnFocus={false} />;
};
