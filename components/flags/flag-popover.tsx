'use client';

import { Popover } from '@mantine/core';
import { ExistingTarget } from '@/components/patterns/existing-target';
import { useLater } from '@/components/patterns/use-later';
import { FlagQuestion } from './flag-question';
import type { useFlagToggle } from './use-flag-toggle';

interface FlagPopoverProps {
  label: string;
  target: HTMLElement;
  toggle: ReturnType<typeof useFlagToggle>;
}

/** Asks below the switch whether to change the flag. */
export const FlagPopover = ({ label, target, toggle }: FlagPopoverProps) => {
  const { seen, needsApproval, pending, opened, error, submit, close } = toggle;
  return (
    <Popover
      opened={useLater(opened)}
      onChange={(open) => !open && close()}
      onDismiss={close}
      position="bottom-start"
      width={320}
      shadow="md"
      withArrow
      trapFocus
      returnFocus
      withRoles={false}
    >
      <Popover.Target>
        <ExistingTarget element={target} />
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={label}>
        {seen && (
          <FlagQuestion
            seen={seen}
            needsApproval={needsApproval}
            pending={pending}
            error={error}
            onSubmit={submit}
            onClose={close}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  );
};
