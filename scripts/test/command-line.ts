/** The arguments of `npm test`. */
import { parseArgs } from "node:util";

export interface TestCommand {
  /** Only files with one of these in their path. */
  readonly parts: readonly string[];
  /** Only files that depend on what changed since a commit; "" is where the branch began. */
  readonly changedSince: string | undefined;
  /** The long tests instead of the others. */
  readonly long: boolean;
  /** Writes the measured times into the file that is committed. */
  readonly recordTimes: boolean;
  /** A failure is final: no file runs a second time. */
  readonly once: boolean;
  /** The minutes after which no long test begins. */
  readonly budgetMinutes: number;
}

export function parseTestCommand(args: readonly string[]): TestCommand {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      changed: { type: "boolean", default: false },
      long: { type: "boolean", default: false },
      "record-times": { type: "boolean", default: false },
      once: { type: "boolean", default: false },
      budget: { type: "string", default: "60" },
    },
  });
  const budgetMinutes = Number(values.budget);
  if (!(budgetMinutes >= 0)) throw new Error(`--budget is ${JSON.stringify(values.budget)}: write a number of minutes`);
  const [base = ""] = values.changed ? positionals : [];
  return {
    parts: values.changed ? [] : positionals,
    changedSince: values.changed ? base : undefined,
    long: values.long,
    once: values.once,
    recordTimes: values["record-times"],
    budgetMinutes,
  };
}
