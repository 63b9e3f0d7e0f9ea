/** A finding of a check: the place, the problem, and the fix. */
export interface Finding {
  readonly file: string;
  readonly line?: number;
  readonly problem: string;
  readonly cure: string;
}

export function formatFinding({ file, line, problem, cure }: Finding): string {
  return `${file}${line === undefined ? "" : `:${line}`}: ${problem}; ${cure}`;
}
