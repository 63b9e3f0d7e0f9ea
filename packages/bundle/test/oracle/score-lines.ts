/** The scorecard results as comparable lines: logs contain times, and Go's maps are unordered. */
import type { TestStatus } from "../../src/index.ts";

/** One line for each state, error and suggestion. */
export function scoreLines(said: { readonly [test: string]: TestStatus }): string[] {
  return Object.entries(said)
    .flatMap(([test, { results }]) =>
      results.flatMap(({ state, errors = [], suggestions = [] }) => [
        `${test}: ${state}`,
        ...errors.map((text) => `${test}: error: ${text}`),
        ...suggestions.map((text) => `${test}: suggestion: ${text}`),
      ]),
    )
    .map((line) => line.replace(/Value (0x[0-9a-f]+|true|false):/g, "Value POINTER:"))
    .map((line) =>
      line.replace(/Bundle validation errors: (.*)$/, (_, list: string) => list.split(",").sort().join(",")),
    )
    .sort();
}
