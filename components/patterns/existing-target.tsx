'use client';

import { type Ref, useImperativeHandle } from 'react';

interface ExistingTargetProps {
  element: HTMLElement;
  ref?: Ref<HTMLElement>;
}

/** The target of a menu or popover whose button was rendered before it. */
export const ExistingTarget = ({ element, ref }: ExistingTargetProps) => {
  useImperativeHandle(ref, () => element, [element]);
  return null;
};
