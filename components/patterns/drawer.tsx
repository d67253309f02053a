'use client';

import {
  Button,
  Group,
  Drawer as MantineDrawer,
  type DrawerProps as MantineDrawerProps,
  Modal as MantineModal,
  type ModalProps as MantineModalProps,
} from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type MouseEvent, type SyntheticEvent, useEffect, useEffectEvent, useState } from 'react';
import { drawerClosed, drawerOpened } from './history-steps';
import { useReturnFocus } from './return-focus';

/** px, by what a drawer is for: a change, one thing, a form with long values, charts and values, two versions. */
const WIDTHS = { form: 420, detail: 480, editor: 560, wide: 680, compare: 820 };
export type DrawerWidth = keyof typeof WIDTHS;

interface HistoryProps {
  /**
   * A field of the URL opens and closes it (`opens` of `useUrlState`): it takes no history step of its own until it is
   * filled.
   */
  inAddress?: boolean | undefined;
  /** Esc and Back do not close it, because a change is being sent. */
  locked?: boolean | undefined;
}

interface Dialog extends HistoryProps {
  opened: boolean;
  onClose: () => void;
  closeOnEscape?: boolean | undefined;
}

/** Esc, Back, the cross and a click outside close a dialog, but first ask if a form in it was filled. */
const useDialog = ({ opened, onClose, closeOnEscape, inAddress = false, locked }: Dialog) => {
  const [filled, setFilled] = useState(false);
  const [asking, setAsking] = useState(false);
  const close = (): boolean => {
    if (locked) return false;
    if (filled) setAsking(true);
    else onClose();
    return !filled;
  };
  const back = useEffectEvent(() => closeOnEscape !== false && close());
  useReturnFocus(opened);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is opened again has not been filled
  useEffect(() => {
    setFilled(false);
    setAsking(false);
  }, [opened]);
  // A filled form takes a history step above its URL, so that Back can ask before it leaves the URL.
  const takesStep = opened && (!inAddress || filled);
  useEffect(() => {
    if (!takesStep) return;
    const step = { close: () => back() };
    drawerOpened(step);
    return () => drawerClosed(step);
  }, [takesStep]);
  const onEntered = ({ target, currentTarget }: SyntheticEvent<HTMLElement>) => {
    // Events of dialogs opened from this one bubble through their portals.
    if (currentTarget.contains(target as Node) && (target as Element).closest('form')) setFilled(true);
  };
  return {
    dialog: {
      returnFocus: false,
      trapFocus: !asking,
      onClose: () => void close(),
      onChange: onEntered,
      // A field that takes what is pasted by itself changes without an event.
      onPaste: onEntered,
      // So does one with a list of options, which is in a portal.
      onClick: ({ target, currentTarget }: MouseEvent<HTMLElement>) => {
        const list = (target as Element).closest('[role="listbox"]');
        if (list && currentTarget.querySelector(`form [aria-controls="${list.id}"]`)) setFilled(true);
      },
    },
    // Mounted only now: otherwise it would receive the same Esc, and close again.
    question: opened && asking && <Discard onKeep={() => setAsking(false)} onDiscard={onClose} />,
  };
};

const useCross = () => {
  const tWord = useTranslations('words');
  return { 'aria-label': tWord('close') };
};

interface DiscardProps {
  onKeep: () => void;
  onDiscard: () => void;
}

const Discard = ({ onKeep, onDiscard }: DiscardProps) => {
  const t = useTranslations('patterns.discard');
  return (
    <MantineModal opened onClose={onKeep} title={t('title')} withCloseButton={false} centered>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onKeep} data-autofocus>
          {t('keep')}
        </Button>
        <Button color="red" onClick={onDiscard}>
          {t('verb')}
        </Button>
      </Group>
    </MantineModal>
  );
};

interface DrawerProps extends MantineDrawerProps, HistoryProps {
  width?: DrawerWidth;
}

/**
 * Mantine's Drawer. In addition Back closes it, it protects filled forms, it returns the focus to what opened it, and
 * its cross has a name.
 */
export const Drawer = ({ inAddress, locked, width, ...drawer }: DrawerProps) => {
  const { dialog, question } = useDialog({ ...drawer, inAddress, locked });
  const cross = useCross();
  return (
    <>
      <MantineDrawer
        closeButtonProps={cross}
        {...(width && { size: WIDTHS[width] })}
        {...drawer}
        {...dialog}
      />
      {question}
    </>
  );
};

/** Mantine's Modal with the same additions. */
export const Modal = ({ inAddress, locked, ...modal }: MantineModalProps & HistoryProps) => {
  const { dialog, question } = useDialog({ ...modal, inAddress, locked });
  const cross = useCross();
  return (
    <>
      <MantineModal closeButtonProps={cross} {...modal} {...dialog} />
      {question}
    </>
  );
};
