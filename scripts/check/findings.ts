/** What a check found: a place, what is wrong there, and what to do about it. */
export interface Finding {
  readonly file: string;
  readonly line?: number;
  readonly problem: string;
  readonly cure: string;
}

export function formatFinding({ file, line, problem, cure }: Finding): string {
  return `${file}${line === undefined ? "" : `:${line}`}: ${problem}; ${cure}`;
}
