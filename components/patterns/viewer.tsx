'use client';

import { createContext, type ReactNode, useContext } from 'react';
import { may, type Permission, type Role } from '@/lib/permissions';

/** The signed-in user. */
export interface Viewer {
  id: string;
  name: string;
  email: string;
  role: Role;
}

const ViewerContext = createContext<Viewer | null>(null);

export const ViewerProvider = ({ viewer, children }: { viewer: Viewer; children: ReactNode }) => (
  <ViewerContext value={viewer}>{children}</ViewerContext>
);

export const useViewer = (): Viewer => {
  const viewer = useContext(ViewerContext);
  if (!viewer) throw new Error('useViewer needs the console layout around it');
  return viewer;
};

/** Whether to offer actions that need `permission`. The server checks it, too. */
export const useMay = (permission: Permission): boolean => may(useViewer().role, permission);
