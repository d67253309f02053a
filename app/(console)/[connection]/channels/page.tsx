import { Allowed } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { Live } from './live';

export const generateMetadata = titled('channels.title');

export default function Channels() {
  return (
    <Allowed permission="live:view">
      <Live />
    </Allowed>
  );
}
