/** `capstan run`: runs the operator as it runs in production. */
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { operatorOf } from "../project/operator.ts";
import { entryOption, loadProgram } from "../project/program.ts";

/** Runs the operator. */
export const run: Command = defineCommand({
  describe: "In this process, against the configured cluster, with JSON logs. What follows -- goes to the operator.",
  rest: "handed on",
  options: { entry: entryOption },
  progress: "own",
  examples: [
    { line: "capstan run", does: "Run with the usual settings" },
    {
      line: "capstan run -- --leader-elect --metrics-bind-address=:8443",
      does: "Run as one of several replicas, with metrics",
    },
    {
      line: "capstan run -- --install-crds --namespaces=team-a,team-b",
      does: "Install the CRDs first, and watch two namespaces",
    },
  ],
  run: async ({ options, rest, terminal }) => {
    const { entry, exported } = await loadProgram(terminal.cwd, options.entry);
    const operator = operatorOf(exported, entry);
    // The operator parses its flags as if it were the main program.
    process.argv = [process.argv[0] ?? "node", entry, ...rest];
    await operator.run({
      onFailure: (error) => {
        throw hasBadSetting(error) ? new CliError("Usage", error.message, { cause: error }) : error;
      },
    });
    return Number(process.exitCode ?? 0);
  },
});

/** Whether a word after -- is invalid. Checked by name, because a project has its own copy of the class. */
function hasBadSetting(error: unknown): error is Error {
  return error instanceof Error && error.name === "RuntimeError" && "code" in error && error.code === "BadSetting";
}
