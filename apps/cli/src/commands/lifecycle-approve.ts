/** `capstan lifecycle plan` and `approve`: reads what a Subscription waits for, and lets it happen. */
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { approvePlan } from "../lifecycle/approval.ts";
import { confirm } from "../lifecycle/confirm.ts";
import { connectLifecycle, findSubscription, lifecycleOptions } from "../lifecycle/options.ts";
import { describePlan, formatPlanReport, planOf } from "../lifecycle/plan.ts";
import { print } from "../output/print.ts";

const subscription = {
  name: "SUBSCRIPTION",
  describe: "the Subscription, or its package",
  presence: "required",
} as const;

/** Shows the plan of a Subscription. */
export const lifecyclePlan: Command = defineCommand({
  describe:
    "What the current plan of a Subscription does: objects that it creates, changes field by field or removes, permissions gained and lost, CRDs with a verdict on every stored object, and images.",
  arguments: [subscription],
  options: lifecycleOptions,
  examples: [{ line: "capstan lifecycle plan etcd -n shop", does: "What the Subscription would install" }],
  run: async ({ options, args: [name = ""], terminal }) => {
    await using connected = await connectLifecycle(options, terminal);
    const plan = await describePlan(
      await planOf(await findSubscription(connected, name), connected.cluster),
      connected,
    );
    await print({ terminal, output: options.output }, { value: plan, table: formatPlanReport(plan) });
  },
});

/** Approves the plan of a Subscription. */
export const lifecycleApprove: Command = defineCommand({
  describe:
    "Shows the plan of a Subscription and approves it. Each manual Subscription has a plan of its own, so nothing else is approved. The plan records who approved it and when.",
  arguments: [subscription],
  options: { ...lifecycleOptions, yes: { type: "flag", short: "y", describe: "do not ask" } },
  examples: [
    { line: "capstan lifecycle approve etcd -n shop", does: "Read the plan and approve it" },
    { line: "capstan lifecycle approve etcd -n shop --yes", does: "Approve it in a script" },
  ],
  run: async ({ options, args: [name = ""], terminal }) => {
    await using connected = await connectLifecycle(options, terminal);
    const { cluster } = connected;
    const plan = await planOf(await findSubscription(connected, name), cluster);
    if (plan.spec.approved) throw new CliError("Failed", `the plan ${plan.metadata.name} is approved already`);
    const described = await describePlan(plan, connected);
    if (options.output === "table") terminal.out(formatPlanReport(described));
    if (!options.yes && !(await confirm(terminal, "approve this plan?"))) return 1;
    await approvePlan(connected, plan);
    await print(
      { terminal, output: options.output },
      { value: { ...described, approved: true }, table: `approved ${plan.metadata.name}\n` },
    );
    return 0;
  },
});
