'use client';

import { ChannelsPage } from '@/components/channels/channels-page';
import { JsonTree } from '@/components/keys/inspector/json-tree';

/** Channels, with their JSON messages as the inspector shows JSON. */
export const Live = () => <ChannelsPage json={(value) => <JsonTree value={value} />} />;
