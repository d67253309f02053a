'use client';

import { createContext } from 'react';

/** True inside a row that is rendered as a card, where icons become buttons for a thumb. */
export const InCard = createContext(false);
