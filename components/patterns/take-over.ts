'use client';

import { type RefObject, useEffect, useRef, useState } from 'react';

/** What the user did with a field before the one that replaces it was loaded. */
export type FieldUse = 'focused' | 'opened' | null;

export interface TakesOver {
  use: FieldUse;
  onUse: (change: (last: FieldUse) => FieldUse) => void;
}

export const useTakesOver = (): TakesOver => {
  const [use, onUse] = useState<FieldUse>(null);
  return { use, onUse };
};

/** The events of a field that will be replaced. The press counts: its click may already meet the other field. */
export const usesOf = ({ onUse }: TakesOver) => ({
  onFocus: () => onUse((last) => last ?? 'focused'),
  onBlur: () => onUse(() => null),
  onPointerDown: () => onUse(() => 'opened'),
  onPointerCancel: () => onUse(() => 'focused'),
});

/** For the field that replaces it: it takes the focus along. */
export const useTakenFocus = ({ use }: TakesOver): RefObject<HTMLInputElement | null> => {
  const field = useRef<HTMLInputElement>(null);
  const [isTaken] = useState(use !== null);
  useEffect(() => {
    if (!isTaken) return;
    field.current?.focus({ preventScroll: true });
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length);
  }, [isTaken]);
  return field;
};
