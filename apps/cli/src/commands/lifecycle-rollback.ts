/** `capstan lifecycle rollback`: returns a ClusterExtension to the version that ran before. */
import { ClusterExtension, rollBackExtension } from "@capstan/lifecycle";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { recordAct } from "../lifecycle/audit.ts";
import { confirm } from "../lifecycle/confirm.ts";
import { connectLifecycle, lifecycleOptions } from "../lifecycle/options.ts";
import { secondsOf, until } from "../lifecycle/wait.ts";
import { print } from "../output/print.ts";

/** Rolls back. */
export const lifecycleRollback: Command = defineCommand({
  describe:
    "Returns a ClusterExtension to the version that ran before, CRDs included, and pins it there. It refuses if a stored version or a field of a stored object would be lost, and names the objects. Subscriptions cannot be rolled back yet.",
  arguments: [{ name: "EXTENSION", describe: "the ClusterExtension", presence: "required" }],
  options: {
    ...lifecycleOptions,
    yes: { type: "flag", short: "y", describe: "do not ask" },
    timeout: { type: "text", value: "SECONDS", default: "300", describe: "how long to wait" },
  },
  examples: [
    { line: "capstan lifecycle rollback etcd", does: "Go back to the version before, and wait until it runs" },
    { line: "capstan lifecycle rollback etcd --yes -o json", does: "The same in a script" },
  ],
  run: async ({ options, args: [name = ""], terminal }) => {
    await using connected = await connectLifecycle(options, terminal);
    const { cluster } = connected;
    const seconds = secondsOf(options.timeout);
    if (!options.yes && !(await confirm(terminal, `roll ${name} back?`))) return 1;
    const result = await rollBackExtension(name, cluster);
    if (result.type === "refused") throw new CliError("Failed", `not rolled back: ${result.reasons.join("; ")}`);
    await recordAct(connected, { action: "rollback", operator: name, detail: `from ${result.from} to ${result.to}` });
    const seen = await until(() => cluster.get(ClusterExtension, { namespace: "", name }), {
      holds: (each) => each?.status?.install?.bundle.version === result.to,
      seconds,
    });
    const ok = seen?.status?.install?.bundle.version === result.to;
    const progress = seen?.status?.conditions?.find(({ type }) => type === "Progressing")?.message ?? "";
    const message = ok ? `${name} runs ${result.to} again` : `${name} does not run ${result.to} yet: ${progress}`;
    await print({ terminal, output: options.output }, { value: { ...result, ok, message }, table: `${message}\n` });
    return ok ? 0 : 1;
  },
});
