import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { CommandLinePage } from '@/components/command-line/command-line-page';

export const generateMetadata = titled('commandLine.title');

export default function CommandLine() {
  return (
    <Allowed permission="keys:view">
      <CommandLinePage />
    </Allowed>
  );
}
