'use client';

import { Treemap } from 'recharts';

export { Treemap as TileDrawing };
