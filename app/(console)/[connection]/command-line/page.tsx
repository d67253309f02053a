import { Allowed } from '@/app/(console)/allowed';
import type { PageProps } from '@/app/(console)/first-answers';
import { titled } from '@/app/titled';
import { CommandLinePage } from '@/components/command-line/command-line-page';
import { commandLineQueries } from '@/components/command-line/queries';

export const generateMetadata = titled('commandLine.title');

const first = (connection: string) => [commandLineQueries.history(connection)];

export default function CommandLine(page: PageProps) {
  return (
    <Allowed permission="keys:view" first={first} {...page}>
      <CommandLinePage />
    </Allowed>
  );
}
