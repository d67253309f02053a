export interface WordProblem {
  line: number;
  message: string;
}

export function vocabularyProblems(file: string, text: string): WordProblem[];
