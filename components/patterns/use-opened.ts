'use client';

import { useCallback, useState } from 'react';

/** The subject of a drawer. It stays during the closing animation, until `forget`. */
export interface Opened<T> {
  about: T | null;
  opened: boolean;
  /** Changes with each opening: used as React key, it resets the fields. */
  key: number;
  open: (about: T) => void;
  close: () => void;
  forget: () => void;
  /** What the drawer takes. */
  props: { opened: boolean; onClose: () => void; onClosed: () => void };
}

export const useOpened = <T>(): Opened<T> => {
  const [state, setState] = useState<{ about: T | null; opened: boolean; key: number }>({
    about: null,
    opened: false,
    key: 0,
  });
  const open = useCallback((about: T) => setState(({ key }) => ({ about, opened: true, key: key + 1 })), []);
  const close = useCallback(() => setState((now) => ({ ...now, opened: false })), []);
  const forget = useCallback(() => setState((now) => (now.opened ? now : { ...now, about: null })), []);
  const props = { opened: state.opened, onClose: close, onClosed: forget };
  return { ...state, open, close, forget, props };
};
