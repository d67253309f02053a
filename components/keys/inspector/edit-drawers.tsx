'use client';

import type { Opened } from '@/components/patterns/use-opened';
import type { KeyDetails } from '@/lib/keys/schema';
import { AddDrawer } from './add-drawer';
import { BitDrawer } from './bit-drawer';
import { DeleteDrawer } from './delete-drawer';
import type { Edit } from './edits';
import { ElementDrawer } from './element-drawer';
import { RemoveElementDrawer, RenameElementDrawer, ScoreDrawer, SetValueDrawer } from './element-drawers';
import { FieldTtlDrawer } from './field-ttl-drawer';
import { NameDrawer } from './name-drawer';
import { StringDrawer } from './string-drawer';
import { TtlDrawer } from './ttl-drawer';

interface EditDrawersProps {
  drawer: Opened<{ edit: Edit; details: KeyDetails }>;
  /** The key's current state; null when it does not exist. */
  now: KeyDetails | null;
}

/** The open drawer. Each opening starts with empty fields and the key's current state. */
export const EditDrawers = ({ drawer, now }: EditDrawersProps) => {
  const { about, key } = drawer;
  if (!about) return null;
  const { edit, details } = about;
  const props = { details, now, ...drawer.props };
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
    case 'fieldTtl':
      return <FieldTtlDrawer key={key} row={edit.row} {...props} />;
    case 'renameElement':
      return <RenameElementDrawer key={key} row={edit.row} {...props} />;
    case 'removeElement':
      return <RemoveElementDrawer key={key} row={edit.row} {...props} />;
  }
};
