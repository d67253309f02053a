/** The props of a drawer that changes the selected keys. */
export interface SelectedKeysProps {
  keyIds: string[];
  opened: boolean;
  onClose: () => void;
  /** Called when the job has started: the selection is cleared, and the job is shown. */
  onJob: (jobId: string) => void;
}
