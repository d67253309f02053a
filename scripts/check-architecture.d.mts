export interface ArchitectureProblem {
  file: string;
  line: number;
  message: string;
}

export function checkArchitecture(root: string): { files: number; problems: ArchitectureProblem[] };
