/** `capstan plan`: what the operator would change on a cluster, without changing it. */
import { apiOf, formatPlan, silentLog } from "@capstan/runtime";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { outputOption, print } from "../output/print.ts";
import { withProgress } from "../output/progress.ts";
import { clusterOptions, connect } from "../project/connect.ts";
import { operatorOf } from "../project/operator.ts";
import { entryOption, loadProgram } from "../project/program.ts";

/** Plans. */
export const plan: Command = defineCommand({
  describe:
    "Runs every reconcile of this program once, with writes that the server checks and forgets. Steps without a result yet, decisions, handlers of fields and cleanups are told and not carried out, and end what is known of their object; daemons and sources are not started. What a reconcile does outside of the cluster and outside of a step, it does in a plan as well. The exit code is 0 whether or not there are changes, 1 if a reconcile failed.",
  options: {
    ...clusterOptions,
    entry: entryOption,
    namespaces: { type: "list", short: "n", value: "NAMES", describe: "look only at these namespaces" },
    output: outputOption,
  },
  examples: [
    { line: "capstan plan", does: "What this version of the operator would write, field by field" },
    { line: "capstan plan --context production -o json", does: "The same for another cluster, for a script" },
  ],
  run: async ({ options, terminal }) => {
    const { entry, exported } = await loadProgram(terminal.cwd, options.entry);
    const operator = operatorOf(exported, entry);
    const { client } = await connect(options, terminal);
    await using _ = client;
    const namespaces = options.namespaces.length === 0 ? {} : { namespaces: options.namespaces };
    await client.serverVersion();
    const planned = await withProgress(terminal, "planning", () =>
      operator.plan({ api: apiOf(client), log: silentLog, ...namespaces }),
    );
    await print({ terminal, output: options.output }, { value: planned, table: formatPlan(planned) });
    const { length } = planned.failures;
    if (length > 0)
      throw new CliError(
        "Failed",
        `what ${length} of the objects need is not known: their reconciles failed, see above`,
      );
  },
});
