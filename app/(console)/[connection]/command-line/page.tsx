import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { CommandLinePage } from '@/components/command-line/command-line-page';
import { commandLineQueries } from '@/components/command-line/queries';

export const generateMetadata = titled('commandLine.title');

export default consolePage('keys:view', <CommandLinePage />, (connection) => [
  commandLineQueries.history(connection),
]);
