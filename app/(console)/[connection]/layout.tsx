import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { ConnectionProvider } from '@/components/patterns/connection';
import { PageOfRoles } from '@/components/shell/page-of-roles';
import { connectionFacts } from '../console-connections';
import { signedInUser } from '../signed-in';

interface ConnectionLayoutProps {
  children: ReactNode;
  params: Promise<{ connection: string }>;
}

export default async function ConnectionLayout({ children, params }: ConnectionLayoutProps) {
  await signedInUser();
  const { connection: id } = await params;
  const connection = connectionFacts().find((facts) => facts.id === id);
  if (!connection) notFound();
  return (
    <ConnectionProvider connection={connection}>
      <PageOfRoles>{children}</PageOfRoles>
    </ConnectionProvider>
  );
}
