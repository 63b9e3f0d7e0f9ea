/** `capstan lifecycle uninstall`: removes an operator, its custom resources first while it still runs. */
import {
  ClusterExtension,
  findOrphans,
  formatResource,
  planRemoval,
  type Removal,
  RemovalError,
  removeAll,
  type RemovalTarget,
} from "@capstan/lifecycle";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { recordAct } from "../lifecycle/audit.ts";
import { confirm } from "../lifecycle/confirm.ts";
import { type Connected, connectLifecycle, findSubscription, lifecycleOptions } from "../lifecycle/options.ts";
import { secondsOf } from "../lifecycle/wait.ts";
import { print } from "../output/print.ts";

const LOOK = 500;

/** Removes an operator. */
export const lifecycleUninstall: Command = defineCommand({
  describe:
    "Shows what would be removed, and asks. CRDs and custom resources stay unless --remove-crds is given: then the custom resources go first, so that the operator can finish them, then the operator, then its CRDs. A CRD that another operator owns always stays.",
  arguments: [{ name: "NAME", describe: "the Subscription, its package, or a ClusterExtension", presence: "required" }],
  options: {
    ...lifecycleOptions,
    "keep-crds": { type: "flag", describe: "keep CRDs and custom resources (the default)" },
    "remove-crds": { type: "flag", describe: "delete its custom resources in all namespaces, and its CRDs" },
    "custom-resources": { type: "flag", describe: "delete its custom resources, but keep its CRDs" },
    yes: { type: "flag", short: "y", describe: "do not ask" },
    timeout: { type: "text", value: "SECONDS", default: "300", describe: "how long custom resources may take" },
  },
  examples: [
    { line: "capstan lifecycle uninstall etcd -n shop", does: "Remove the operator, keep its kinds and their objects" },
    { line: "capstan lifecycle uninstall etcd -n shop --remove-crds", does: "Remove everything, data included" },
  ],
  run: async ({ options, args: [name = ""], terminal }) => {
    const choice = choiceOf(options);
    const seconds = secondsOf(options.timeout);
    await using connected = await connectLifecycle(options, terminal);
    const { cluster } = connected;
    const target = await findTarget(connected, name);
    const removal = await planRemoval(target, { cluster, choice });
    if (removal === undefined) throw new CliError("Failed", `${target.kind} ${target.name} was removed meanwhile`);
    if (options.output === "table") terminal.out(formatRemoval(removal));
    if (!options.yes && !(await confirm(terminal, "remove it?"))) return 1;
    const end = performance.now() + seconds * 1000;
    await remove(removal, {
      cluster,
      pause: () => new Promise((resolve) => setTimeout(resolve, LOOK)),
      isOver: () => performance.now() > end,
      report: (line) => terminal.err(`${line}\n`),
    });
    const detail = removal.crds.length > 0 ? `with the CRDs ${removal.crds.join(", ")}` : "its CRDs are kept";
    await recordAct(connected, { action: "uninstall", operator: removal.operators.join(", "), detail });
    const orphans = (await findOrphans(cluster)).filter(({ name: each }) => namesOf(removal).has(each));
    const left = orphans.map(({ kind, name: each, reason }) => `left behind: ${kind} ${each}: ${reason}\n`);
    const value = { ...removal, orphans };
    await print(
      { terminal, output: options.output },
      { value, table: `removed ${target.kind} ${target.name}\n${left.join("")}` },
    );
    return 0;
  },
});

interface Choices {
  readonly "keep-crds": boolean;
  readonly "remove-crds": boolean;
  readonly "custom-resources": boolean;
}

function choiceOf(options: Choices): "keep" | "remove-crds" | "remove-custom-resources" {
  if (options["keep-crds"] && options["remove-crds"])
    throw new CliError("Usage", "--keep-crds and --remove-crds contradict each other: give one of them");
  if (options["remove-crds"]) return "remove-crds";
  return options["custom-resources"] ? "remove-custom-resources" : "keep";
}

/** A Subscription of the namespace comes before a ClusterExtension of the same name. */
async function findTarget(connected: Connected, name: string): Promise<RemovalTarget> {
  try {
    const { metadata } = await findSubscription(connected, name);
    return { kind: "Subscription", namespace: connected.namespace, name: metadata.name };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const extension = await connected.cluster.get(ClusterExtension, { namespace: "", name });
    if (extension === undefined) throw error;
    return { kind: "ClusterExtension", name };
  }
}

async function remove(...[removal, options]: Parameters<typeof removeAll>): Promise<void> {
  try {
    await removeAll(removal, options);
  } catch (error) {
    if (error instanceof RemovalError) throw new CliError("Failed", error.message);
    throw error;
  }
}

function namesOf({ crds, keptCrds, operators }: Removal): ReadonlySet<string> {
  return new Set([...crds, ...keptCrds.map(({ name }) => name), ...operators]);
}

function formatRemoval({ target, operators, customResources, crds, keptCrds, warnings }: Removal): string {
  const lines = [
    ...customResources.map((each) => `delete ${formatResource(each)}`),
    `delete ${target.kind} ${target.name}`,
    ...operators.map((name) => `delete the operator ${name} with its Deployments, roles and webhooks`),
    ...crds.map((name) => `delete CustomResourceDefinition ${name}`),
    ...keptCrds.map(formatKept),
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
  return `${lines.join("\n")}\n`;
}

function formatKept({ name, objects, finalized, reason }: Removal["keptCrds"][number]): string {
  const held = finalized === 0 ? "" : `; ${finalized} of them have finalizers, which only the operator removes`;
  return `keep CustomResourceDefinition ${name} and ${objects} objects (${reason}${held})`;
}
