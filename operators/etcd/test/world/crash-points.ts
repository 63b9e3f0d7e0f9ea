/** The writes before which a test lets the operator crash: one in four, and with `CAPSTAN_CRASH_POINTS=all` each. */
export function crashPoints(writes: number): readonly number[] {
  const step = process.env["CAPSTAN_CRASH_POINTS"] === "all" ? 1 : 4;
  return Array.from({ length: Math.ceil(writes / step) }, (_, at) => 1 + at * step);
}
