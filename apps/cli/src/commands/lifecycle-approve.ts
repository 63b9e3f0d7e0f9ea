/** `capstan lifecycle plan` and `approve`: reads what a Subscription waits for, and lets it happen. */
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import type { Subscription } from "@capstan/lifecycle";
import { approvePlan, approveVersion } from "../lifecycle/approval.ts";
import { confirm } from "../lifecycle/confirm.ts";
import { heldBy, type HeldVersions } from "../lifecycle/held.ts";
import { type Connected, connectLifecycle, findSubscription, lifecycleOptions } from "../lifecycle/options.ts";
import { describePlan, formatPlanReport, planOf } from "../lifecycle/plan.ts";
import { previewReport } from "../lifecycle/preview.ts";
import { print } from "../output/print.ts";
import type { Terminal } from "../terminal.ts";

const global = { type: "text", value: "NAME", default: "olm", describe: "the manager's namespace" } as const;
const version = {
  type: "text",
  value: "NAME",
  describe: "a version that the policy of the Subscription holds",
} as const;

const subscription = {
  name: "SUBSCRIPTION",
  describe: "the Subscription, or its package",
  presence: "required",
} as const;

/** Shows the plan of a Subscription. */
export const lifecyclePlan: Command = defineCommand({
  describe:
    "What the current plan of a Subscription does: objects that it creates, changes field by field or removes, permissions gained and lost, CRDs with a verdict on every stored object, and images. While a policy holds an upgrade, it shows the plan of that upgrade, which does not exist yet.",
  arguments: [subscription],
  options: { ...lifecycleOptions, version, "olm-namespace": global },
  examples: [
    { line: "capstan lifecycle plan etcd -n shop", does: "What the Subscription would install" },
    {
      line: "capstan lifecycle plan etcd -n shop --version etcdoperator.v0.9.4",
      does: "A version that its policy holds",
    },
  ],
  run: async ({ options, args: [name = ""], terminal }) => {
    await using connected = await connectLifecycle(options, terminal);
    const found = await findSubscription(connected, name);
    const held = await heldBy(connected, found, options.version);
    if (held !== undefined) {
      const globalNamespace = options["olm-namespace"];
      const preview = await previewReport(connected, {
        globalNamespace,
        approve: { subscription: found, version: held.version },
      });
      const table = preview === undefined ? nothing(held) : formatPlanReport(preview);
      await print(
        { terminal, output: options.output },
        { value: { ...preview, held }, table: `${held.message}\n${table}` },
      );
      return;
    }
    const plan = await describePlan(await planOf(found, connected.cluster), connected);
    await print({ terminal, output: options.output }, { value: plan, table: formatPlanReport(plan) });
  },
});

/** Approves the plan of a Subscription. */
export const lifecycleApprove: Command = defineCommand({
  describe:
    "Shows the plan of a Subscription and approves it. Each manual Subscription has a plan of its own, so nothing else is approved. The plan records the user and the time. While a policy holds an upgrade, its newest version, or the one of --version, is approved with those on the way to it.",
  arguments: [subscription],
  options: {
    ...lifecycleOptions,
    version,
    yes: { type: "flag", short: "y", describe: "do not ask" },
    "olm-namespace": global,
  },
  examples: [
    { line: "capstan lifecycle approve etcd -n shop", does: "Read the plan and approve it" },
    { line: "capstan lifecycle approve etcd -n shop --yes", does: "Approve it in a script" },
  ],
  run: async ({ options, args: [name = ""], terminal }) => {
    await using connected = await connectLifecycle(options, terminal);
    const found = await findSubscription(connected, name);
    const held = await heldBy(connected, found, options.version);
    if (held !== undefined) return await approveHeld({ found, held, connected, terminal, options });
    const plan = await planOf(found, connected.cluster);
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

interface Approval {
  readonly found: Subscription;
  readonly held: HeldVersions;
  readonly connected: Connected;
  readonly terminal: Terminal;
  readonly options: { readonly output: string; readonly yes: boolean; readonly "olm-namespace": string };
}

/** Approves a version that a policy holds. */
async function approveHeld({ found, held, connected, terminal, options }: Approval): Promise<number> {
  const approve = { subscription: found, version: held.version };
  const preview = await previewReport(connected, { globalNamespace: options["olm-namespace"], approve });
  if (options.output === "table") terminal.out(preview === undefined ? nothing(held) : formatPlanReport(preview));
  if (!options.yes && !(await confirm(terminal, `approve ${held.version}?`))) return 1;
  await approveVersion(connected, found, held.version);
  const value = { ...preview, version: held.version, approved: true };
  await print({ terminal, output: options.output }, { value, table: `approved ${held.version}\n` });
  return 0;
}

function nothing({ version: name }: HeldVersions): string {
  return `no upgrade leads to ${name} from what is installed\n`;
}
