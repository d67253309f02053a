'use client';

import { onDemand } from '@/components/patterns/on-demand';
import type { Opened } from '@/components/patterns/use-opened';
import type { KeyDetails } from '@/lib/keys/schema';
import type { Edit } from './edits';

const AddDrawer = onDemand(async () => (await import('./add-drawer')).AddDrawer);
const BitDrawer = onDemand(async () => (await import('./bit-drawer')).BitDrawer);
const DeleteDrawer = onDemand(async () => (await import('./delete-drawer')).DeleteDrawer);
const ElementDrawer = onDemand(async () => (await import('./element-drawer')).ElementDrawer);
const RemoveElementDrawer = onDemand(async () => (await import('./element-drawers')).RemoveElementDrawer);
const RenameElementDrawer = onDemand(async () => (await import('./element-drawers')).RenameElementDrawer);
const ScoreDrawer = onDemand(async () => (await import('./element-drawers')).ScoreDrawer);
const SetValueDrawer = onDemand(async () => (await import('./element-drawers')).SetValueDrawer);
const NameDrawer = onDemand(async () => (await import('./name-drawer')).NameDrawer);
const StringDrawer = onDemand(async () => (await import('./string-drawer')).StringDrawer);
const TtlDrawer = onDemand(async () => (await import('./ttl-drawer')).TtlDrawer);

interface EditDrawersProps {
  drawer: Opened<{ edit: Edit; details: KeyDetails }>;
  /** The key as it is now; null when it does not exist. */
  now: KeyDetails | null;
}

/** The open drawer. Each opening starts with empty fields and the key as it is then. */
export const EditDrawers = ({ drawer, now }: EditDrawersProps) => {
  const { about, key, opened, close, forget } = drawer;
  if (!about) return null;
  const { edit, details } = about;
  const props = { details, now, opened, onClose: close, onClosed: forget };
  switch (edit.kind) {
    case 'string':
      return <StringDrawer key={key} {...props} />;
    case 'bit':
      return <BitDrawer key={key} {...props} />;
    case 'add':
      return <AddDrawer key={key} {...props} />;
    case 'ttl':
      return <TtlDrawer key={key} {...props} />;
    case 'delete':
      return <DeleteDrawer key={key} {...props} />;
    case 'rename':
    case 'duplicate':
      return <NameDrawer key={key} kind={edit.kind} {...props} />;
    case 'element':
      return <ElementDrawer key={key} row={edit.row} {...props} />;
    case 'setElement':
      return details.type === 'zset' ? (
        <ScoreDrawer key={key} row={edit.row} {...props} />
      ) : (
        <SetValueDrawer key={key} row={edit.row} {...props} />
      );
    case 'renameElement':
      return <RenameElementDrawer key={key} row={edit.row} {...props} />;
    case 'removeElement':
      return <RemoveElementDrawer key={key} row={edit.row} {...props} />;
  }
};
