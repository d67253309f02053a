'use client';

import { useEffect, useState } from 'react';
import { AddDrawer, type AddingProps } from './add-drawer';

/** One project or a pasted list to block. */
export const BlockDrawer = (props: AddingProps) => {
  const { opened } = props;
  const [text, setText] = useState('');
  useEffect(() => {
    if (opened) setText('');
  }, [opened]);
  return <AddDrawer {...props} set="projects" text={text} onText={setText} />;
};
