/** `capstan lifecycle rollback`: returns a Subscription or a ClusterExtension to the version that ran before. */
import { ClusterExtension, rollBackExtension, rollBackSubscription, Subscription } from "@capstan/lifecycle";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { recordAct } from "../lifecycle/audit.ts";
import { confirm } from "../lifecycle/confirm.ts";
import { type Connected, connectLifecycle, lifecycleOptions } from "../lifecycle/options.ts";
import { secondsOf, until } from "../lifecycle/wait.ts";
import { print } from "../output/print.ts";

/** The command `capstan lifecycle rollback`. */
export const lifecycleRollback: Command = defineCommand({
  describe:
    "Returns a Subscription or a ClusterExtension to the version that ran before, CRDs included, and keeps it there. It refuses if a stored version or a field of a stored object would be lost, and names the objects. The annotation lifecycle.capstan.dev/roll-back-after of a Subscription, such as 10m, rolls a version back by itself that does not succeed in time; lifecycle.capstan.dev/excluded-versions names the versions that are not installed again.",
  arguments: [{ name: "NAME", describe: "the Subscription or the ClusterExtension", presence: "required" }],
  options: {
    ...lifecycleOptions,
    yes: { type: "flag", short: "y", describe: "do not ask" },
    timeout: { type: "text", value: "SECONDS", default: "300", describe: "how long to wait" },
  },
  examples: [
    { line: "capstan lifecycle rollback etcd -n shop", does: "Go back to the version before, and wait until it runs" },
    { line: "capstan lifecycle rollback etcd --yes -o json", does: "The same in a script" },
  ],
  run: async ({ options, args: [name = ""], terminal }) => {
    await using connected = await connectLifecycle(options, terminal);
    const { cluster, namespace } = connected;
    const seconds = secondsOf(options.timeout);
    const subscription = await cluster.get(Subscription, { namespace, name });
    if (!options.yes && !(await confirm(terminal, `roll ${name} back?`))) return 1;
    const result = await (subscription === undefined
      ? rollBackExtension(name, cluster)
      : rollBackSubscription({ namespace, name }, cluster));
    if (result.type === "refused") throw new CliError("Failed", `not rolled back: ${result.reasons.join("; ")}`);
    await recordAct(connected, { action: "rollback", operator: name, detail: `from ${result.from} to ${result.to}` });
    const wanted = { name, to: result.to, seconds };
    const end = await (subscription === undefined ? extensionRuns : subscriptionRuns)(connected, wanted);
    const message = end.ok
      ? `${name} runs ${result.to} again`
      : `${name} does not run ${result.to} yet: ${end.progress}`;
    const value = { ...result, ok: end.ok, message };
    await print({ terminal, output: options.output }, { value, table: `${message}\n` });
    return end.ok ? 0 : 1;
  },
});

interface Wanted {
  readonly name: string;
  readonly to: string;
  readonly seconds: number;
}

interface Ended {
  readonly ok: boolean;
  readonly progress: string;
}

async function extensionRuns({ cluster }: Connected, { name, to, seconds }: Wanted): Promise<Ended> {
  const seen = await until(() => cluster.get(ClusterExtension, { namespace: "", name }), {
    holds: (each) => each?.status?.install?.bundle.version === to,
    seconds,
  });
  const progress = seen?.status?.conditions?.find(({ type }) => type === "Progressing")?.message ?? "";
  return { ok: seen?.status?.install?.bundle.version === to, progress };
}

async function subscriptionRuns({ cluster, namespace }: Connected, { name, seconds }: Wanted): Promise<Ended> {
  const conditionOf = (each: Subscription | undefined) =>
    each?.status?.conditions?.find(({ type }) => type === "RolledBack");
  const seen = await until(() => cluster.get(Subscription, { namespace, name }), {
    holds: (each) => ["RolledBack", "PlanFailed"].includes(conditionOf(each)?.reason ?? ""),
    seconds,
  });
  const progress = conditionOf(seen)?.message ?? "is `capstan lifecycle run` running?";
  return { ok: conditionOf(seen)?.status === "True", progress };
}
