/** `capstan lifecycle upgrade`: moves an operator to the next version that its catalog offers, or to another channel. */
import { ClusterServiceVersion, InstallPlan, Subscription } from "@capstan/lifecycle";
import { type Command, defineCommand } from "../command/define.ts";
import { recordAct } from "../lifecycle/audit.ts";
import { confirm } from "../lifecycle/confirm.ts";
import { type Connected, connectLifecycle, findSubscription, lifecycleOptions } from "../lifecycle/options.ts";
import { describePlan, formatPlanReport } from "../lifecycle/plan.ts";
import { approvePlan } from "../lifecycle/approval.ts";
import { secondsOf, until } from "../lifecycle/wait.ts";
import { print } from "../output/print.ts";

/** The command `capstan lifecycle upgrade`. */
export const lifecycleUpgrade: Command = defineCommand({
  describe:
    "Shows the waiting plan of a Subscription, approves it, and waits until the new version runs. With --channel it changes the channel first. A Subscription without a waiting plan is up to date, and the command says so.",
  arguments: [{ name: "SUBSCRIPTION", describe: "the Subscription, or its package", presence: "required" }],
  options: {
    ...lifecycleOptions,
    channel: { type: "text", value: "NAME", describe: "change to this channel" },
    yes: { type: "flag", short: "y", describe: "do not ask" },
    timeout: { type: "text", value: "SECONDS", default: "300", describe: "how long to wait" },
  },
  examples: [
    { line: "capstan lifecycle upgrade etcd -n shop", does: "Read the plan, then go to the next version" },
    { line: "capstan lifecycle upgrade etcd -n shop --channel stable --yes", does: "Change the channel in a script" },
  ],
  run: async ({ options, args: [name = ""], terminal }) => {
    await using connected = await connectLifecycle(options, terminal);
    const seconds = secondsOf(options.timeout);
    const found = await findSubscription(connected, name);
    const subscription = await toChannel(connected, found, options.channel);
    const from = found.status?.installedCSV ?? "";
    const waiting = await waitingPlan(connected, subscription, { seconds, isChanged: subscription !== found });
    if (waiting !== undefined) {
      const described = await describePlan(waiting, connected);
      if (options.output === "table") terminal.out(formatPlanReport(described));
      if (!options.yes && !(await confirm(terminal, "approve this plan?"))) return 1;
      await approvePlan(connected, waiting);
    }
    const end = await untilCurrent(connected, { name: subscription.metadata.name, from, seconds });
    if (end.ok && end.to !== from)
      await recordAct(connected, { action: "upgrade", operator: end.to, detail: `from ${from}` });
    await print({ terminal, output: options.output }, { value: end, table: `${end.message}\n` });
    return end.ok ? 0 : 1;
  },
});

async function toChannel(
  { cluster }: Connected,
  subscription: Subscription,
  channel: string | undefined,
): Promise<Subscription> {
  if (channel === undefined || channel === subscription.spec.channel) return subscription;
  const after = { ...subscription, spec: { ...subscription.spec, channel } };
  return cluster.change(Subscription, { before: subscription, after });
}

/** The InstallPlan that waits for approval. After a change of the channel, the manager may not have created it yet. */
async function waitingPlan(
  { cluster, namespace }: Connected,
  { metadata }: Subscription,
  { seconds, isChanged }: { readonly seconds: number; readonly isChanged: boolean },
): Promise<InstallPlan | undefined> {
  const name = metadata.name;
  const look = async (): Promise<{ readonly plan?: InstallPlan; readonly isSettled: boolean }> => {
    const live = await cluster.get(Subscription, { namespace, name });
    const reference = live?.status?.installPlanRef?.name;
    const plan = reference === undefined ? undefined : await cluster.get(InstallPlan, { namespace, name: reference });
    if (plan !== undefined && !plan.spec.approved) return { plan, isSettled: true };
    return { isSettled: !isChanged || live?.status?.state === "UpgradePending" };
  };
  // If the head of the channel is already installed, there will be no InstallPlan, so the wait for one is short.
  const seen = await until(look, { holds: ({ isSettled }) => isSettled, seconds: Math.min(seconds, 5) });
  return seen.plan;
}

/** How an upgrade ended. */
interface Ended {
  readonly ok: boolean;
  readonly to: string;
  readonly message: string;
}

interface Question {
  readonly name: string;
  readonly from: string;
  readonly seconds: number;
}

async function untilCurrent(connected: Connected, question: Question): Promise<Ended> {
  const look = (): Promise<Seen> => lookAt(connected, question);
  const { isFinal: _, ...end } = await until(look, { holds: ({ isFinal }) => isFinal, seconds: question.seconds });
  return end;
}

/** The present state of the upgrade, and whether it is final. */
interface Seen extends Ended {
  readonly isFinal: boolean;
}

async function lookAt({ cluster, namespace }: Connected, { name, from }: Question): Promise<Seen> {
  const { conditions = [], currentCSV: to = "" } = (await cluster.get(Subscription, { namespace, name }))?.status ?? {};
  const failed = conditions.find((each) => each.type === "ResolutionFailed" && each.status === "True");
  if (failed !== undefined) return { ok: false, to, message: failed.message ?? "", isFinal: true };
  const csv = await cluster.get(ClusterServiceVersion, { namespace, name: to === "" ? "-" : to });
  const { phase = "", message = "" } = csv?.status ?? {};
  if (phase !== "Succeeded")
    return { ok: false, to, message: `${to} is ${phase || "not there yet"}: ${message}`, isFinal: false };
  const text = to === from ? `${name} is up to date: ${to}` : `${name} runs ${to}, upgraded from ${from}`;
  return { ok: true, to, message: text, isFinal: true };
}
