import { streamRoute } from '@/lib/http/stream';
import { liveContracts } from '@/lib/live/schema';
import { tailMessages } from '@/lib/live/tail';

export const POST = streamRoute(liveContracts.tail, tailMessages);
