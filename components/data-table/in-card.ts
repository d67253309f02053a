'use client';

import { createContext } from 'react';

/** True inside a row that is rendered as a card: what is an icon in a table is a button for a thumb there. */
export const InCard = createContext(false);
