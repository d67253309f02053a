import { consolePage } from '@/app/(console)/allowed';
import { titled } from '@/app/titled';
import { channelQueries } from '@/components/channels/queries';
import { Live } from './live';

export const generateMetadata = titled('channels.title');

export default consolePage('live:view', <Live />, (connection) => [channelQueries.list(connection, '')]);
