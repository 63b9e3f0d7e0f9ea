/** `capstan lifecycle uninstall`: removes an operator, its custom resources first while it still runs. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { ClusterServiceVersion, Subscription } from "@capstan/lifecycle";
import type { Kind, KubeObject } from "@capstan/model";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { recordAct } from "../lifecycle/audit.ts";
import { confirm } from "../lifecycle/confirm.ts";
import { type Connected, connectLifecycle, findSubscription, lifecycleOptions } from "../lifecycle/options.ts";
import { secondsOf } from "../lifecycle/wait.ts";
import { print } from "../output/print.ts";

/** What an uninstallation removes. */
interface Removal {
  readonly subscription: string;
  readonly operator: string;
  readonly customResources: readonly { readonly kind: string; readonly namespace: string; readonly name: string }[];
  readonly crds: readonly string[];
  readonly keptCrds: readonly string[];
}

/** Removes an operator. */
export const lifecycleUninstall: Command = defineCommand({
  describe:
    "Shows what would be removed, and asks. With --custom-resources the custom resources go first, so that the operator can finish them; then the Subscription and the operator. CRDs stay unless --crds is given, because their removal deletes all data of their kinds.",
  arguments: [{ name: "SUBSCRIPTION", describe: "the Subscription, or its package", presence: "required" }],
  options: {
    ...lifecycleOptions,
    "custom-resources": { type: "flag", describe: "also delete the custom resources of its kinds, in all namespaces" },
    crds: { type: "flag", describe: "also delete its CRDs, which needs --custom-resources" },
    yes: { type: "flag", short: "y", describe: "do not ask" },
    timeout: { type: "text", value: "SECONDS", default: "300", describe: "how long custom resources may take" },
  },
  examples: [
    { line: "capstan lifecycle uninstall etcd -n shop", does: "Remove the operator, keep its kinds and their objects" },
    { line: "capstan lifecycle uninstall etcd -n shop --custom-resources --crds", does: "Remove everything" },
  ],
  run: async ({ options, args: [name = ""], terminal }) => {
    if (options.crds && !options["custom-resources"]) {
      throw new CliError("Usage", "--crds deletes the custom resources as well: say so with --custom-resources");
    }
    await using connected = await connectLifecycle(options, terminal);
    const subscription = await findSubscription(connected, name);
    const removal = await removalOf(connected, subscription, options);
    if (options.output === "table") terminal.out(formatRemoval(removal));
    if (!options.yes && !(await confirm(terminal, "remove it?"))) return 1;
    await removeAll(connected, { removal, seconds: secondsOf(options.timeout) });
    const kept = removal.keptCrds.length === 0 ? "with its CRDs" : "its CRDs are kept";
    await recordAct(connected, { action: "uninstall", operator: removal.operator, detail: kept });
    await print({ terminal, output: options.output }, { value: removal, table: `removed ${removal.subscription}\n` });
    return 0;
  },
});

async function removalOf(
  { cluster, client, namespace }: Connected,
  { metadata, status }: Subscription,
  options: { readonly crds: boolean; readonly "custom-resources": boolean },
): Promise<Removal> {
  const operator = status?.installedCSV ?? status?.currentCSV ?? "";
  const csv = operator === "" ? undefined : await cluster.get(ClusterServiceVersion, { namespace, name: operator });
  const owned = csv?.spec.customresourcedefinitions?.owned ?? [];
  const customResources = options["custom-resources"] ? await objectsOf(owned, { cluster, client }) : [];
  const names = owned.map((crd) => crd.name);
  return {
    subscription: metadata.name,
    operator,
    customResources,
    crds: options.crds ? names : [],
    keptCrds: options.crds ? [] : names,
  };
}

type OwnedCrd = Pick<
  NonNullable<NonNullable<ClusterServiceVersion["spec"]["customresourcedefinitions"]>["owned"]>[number],
  "name" | "version" | "kind"
>;

async function objectsOf(
  owned: readonly OwnedCrd[],
  { cluster, client }: Pick<Connected, "cluster" | "client">,
): Promise<Removal["customResources"]> {
  const found: Removal["customResources"][number][] = [];
  for (const { name, version, kind } of owned) {
    const group = name.slice(name.indexOf(".") + 1);
    const served: Kind = await client.resourceFor({ group, version, kind });
    for (const { metadata } of await cluster.list<KubeObject>(served)) {
      const { namespace = "", name: object = "" } = metadata;
      found.push({ kind: `${kind}.${version}.${group}`, namespace, name: object });
    }
  }
  return found;
}

function formatRemoval({ subscription, operator, customResources, crds, keptCrds }: Removal): string {
  const lines = [
    ...customResources.map((each) => `delete ${each.kind} ${[each.namespace, each.name].filter(Boolean).join("/")}`),
    `delete Subscription ${subscription}`,
    ...(operator === "" ? [] : [`delete ClusterServiceVersion ${operator} with its Deployments, roles and webhooks`]),
    ...crds.map((name) => `delete CustomResourceDefinition ${name}`),
    ...keptCrds.map((name) => `keep CustomResourceDefinition ${name} and its objects`),
  ];
  return `${lines.join("\n")}\n`;
}

const LOOK = 500;

async function removeAll(
  { cluster, client, namespace }: Connected,
  { removal, seconds }: { readonly removal: Removal; readonly seconds: number },
): Promise<void> {
  const kinds = new Map<string, Kind>();
  for (const each of removal.customResources) {
    const [kind = "", version = "", ...group] = each.kind.split(".");
    const served = kinds.get(each.kind) ?? (await client.resourceFor({ group: group.join("."), version, kind }));
    kinds.set(each.kind, served);
    await cluster.remove(served, { namespace: each.namespace, name: each.name });
  }
  await untilGone({ cluster, kinds, removal, end: performance.now() + seconds * 1000 });
  await cluster.remove(Subscription, { namespace, name: removal.subscription });
  if (removal.operator !== "") await cluster.remove(ClusterServiceVersion, { namespace, name: removal.operator });
  for (const name of removal.crds) await cluster.remove(CustomResourceDefinition, { namespace: "", name });
}

interface Waiting extends Pick<Connected, "cluster"> {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly removal: Removal;
  readonly end: number;
}

/** The operator must stay until it has finished its custom resources. */
async function untilGone({ cluster, kinds, removal, end }: Waiting): Promise<void> {
  for (const { kind, namespace, name } of removal.customResources) {
    const served = kinds.get(kind);
    if (served === undefined) continue;
    for (;;) {
      if ((await cluster.get<KubeObject>(served, { namespace, name })) === undefined) break;
      if (performance.now() > end) {
        throw new CliError(
          "Failed",
          `${kind} ${namespace}/${name} is not gone in time; the operator still runs and was not removed. Look at the object's finalizers, then repeat the command`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK));
    }
  }
}
