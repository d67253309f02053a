import { Alert, type AlertProps, Box } from '@mantine/core';

interface FindingsProps extends AlertProps {
  /** What needs attention and what to do, a sentence each. */
  findings: readonly string[];
}

/** What a part of a server needs; nothing without findings. */
export const Findings = ({ findings, ...alert }: FindingsProps) =>
  findings.length > 0 && (
    <Alert role="group" color="orange" {...alert}>
      <Box component="ul" display="grid" m={0} ps={18} style={{ gap: 6 }}>
        {findings.map((finding) => (
          <li key={finding}>{finding}</li>
        ))}
      </Box>
    </Alert>
  );
