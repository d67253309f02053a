import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { ConnectionProvider } from '@/components/patterns/connection';
import { connectionFacts } from '../console-connections';

interface ConnectionLayoutProps {
  children: ReactNode;
  params: Promise<{ connection: string }>;
}

export default async function ConnectionLayout({ children, params }: ConnectionLayoutProps) {
  const { connection: id } = await params;
  const connection = connectionFacts().find((each) => each.id === id);
  if (!connection) notFound();
  return <ConnectionProvider connection={connection}>{children}</ConnectionProvider>;
}
