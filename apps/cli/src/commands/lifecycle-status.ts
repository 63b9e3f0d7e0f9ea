/** `capstan lifecycle status`, `list` and `history`: the progress of installations, the installed operators, and the InstallPlans. */
import { ClusterExtension, ClusterServiceVersion, InstallPlan, Subscription } from "@capstan/lifecycle";
import { type Command, defineCommand } from "../command/define.ts";
import { type Connected, connectLifecycle, lifecycleOptions } from "../lifecycle/options.ts";
import { print } from "../output/print.ts";

const everywhere = { type: "flag", short: "A", describe: "look at all namespaces" } as const;

/** The command `capstan lifecycle status`: the progress of each Subscription and ClusterExtension. */
export const lifecycleStatus: Command = defineCommand({
  describe:
    "One line for each Subscription and each ClusterExtension: what it wants, what is installed, and what it waits for.",
  options: { ...lifecycleOptions, "all-namespaces": everywhere },
  examples: [
    { line: "capstan lifecycle status -n shop", does: "The Subscriptions of a namespace" },
    { line: "capstan lifecycle status -A -o json", does: "All of them, for a script" },
  ],
  run: async ({ options, terminal }) => {
    await using connected = await connectLifecycle(options, terminal);
    const { cluster, namespace } = connected;
    const where = options["all-namespaces"] ? {} : { namespace };
    const csvs = await cluster.list(ClusterServiceVersion, where);
    const rows = (await cluster.list(Subscription, where)).map((subscription) => {
      const { metadata, spec, status } = subscription;
      const csv = csvs.find(
        (each) => each.metadata.namespace === metadata.namespace && each.metadata.name === status?.currentCSV,
      );
      return {
        namespace: metadata.namespace ?? "",
        name: metadata.name,
        package: spec.name,
        channel: spec.channel ?? "",
        installed: status?.installedCSV ?? "",
        wanted: status?.currentCSV ?? "",
        state: status?.state ?? "",
        phase: csv?.status?.phase ?? "",
        problem: problemOf(subscription, csv),
      };
    });
    const all = [...rows, ...(await extensionsIn(cluster, where)).map(extensionStatus)];
    const titles = ["NAMESPACE", "NAME", "INSTALLED", "STATE", "PHASE", "PROBLEM"];
    const cells = all.map((row) => [row.namespace, row.name, row.installed, row.state, row.phase, row.problem]);
    await print({ terminal, output: options.output }, { value: all, table: { titles, rows: cells, overflow: "wrap" } });
  },
});

/** The ClusterExtensions that install into a namespace; without a namespace, all. */
async function extensionsIn(
  cluster: Connected["cluster"],
  { namespace }: { readonly namespace?: string },
): Promise<readonly ClusterExtension[]> {
  const all = await cluster.list(ClusterExtension);
  return all.filter(({ spec }) => namespace === undefined || spec.namespace === namespace);
}

function extensionStatus({ metadata, spec, status }: ClusterExtension) {
  const { packageName = "", channels = [], version = "" } = spec.source.catalog ?? {};
  const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
  return {
    namespace: spec.namespace,
    name: metadata.name,
    package: packageName,
    channel: channels.join(", "),
    installed: status?.install?.bundle.name ?? "",
    wanted: version,
    state: "ClusterExtension",
    phase: progressing?.reason ?? "",
    problem: extensionProblem(status?.conditions ?? []),
  };
}

function extensionProblem(conditions: NonNullable<NonNullable<ClusterExtension["status"]>["conditions"]>): string {
  const progressing = conditions.find(({ type }) => type === "Progressing");
  if (progressing?.reason !== "Succeeded") return progressing?.message ?? "nothing has reconciled it yet";
  return conditions.find(({ type, status }) => type === "Deprecated" && status === "True")?.message ?? "";
}

/** The first problem of a Subscription: a condition with status True, or an unmet requirement of its ClusterServiceVersion. */
function problemOf({ status }: Subscription, csv: ClusterServiceVersion | undefined): string {
  const condition = status?.conditions?.find((each) => each.status === "True");
  if (condition !== undefined) return condition.message || (condition.reason ?? "");
  const { phase, message, requirementStatus = [] } = csv?.status ?? {};
  if (phase === undefined || phase === "Succeeded") return "";
  const unmet = requirementStatus.find(({ status: each }) => !["Present", "DeploymentFound"].includes(each));
  return unmet === undefined ? (message ?? "") : `${unmet.kind} ${unmet.name}: ${unmet.message || unmet.status}`;
}

/** The command `capstan lifecycle list`: the installed operators. */
export const lifecycleList: Command = defineCommand({
  describe:
    "The installed operators with their versions, those of ClusterExtensions included; copies in other namespaces are left out.",
  options: { ...lifecycleOptions, "all-namespaces": everywhere },
  examples: [{ line: "capstan lifecycle list -A", does: "Every installed operator" }],
  run: async ({ options, terminal }) => {
    await using connected = await connectLifecycle(options, terminal);
    const where = options["all-namespaces"] ? {} : { namespace: connected.namespace };
    const all = await connected.cluster.list(ClusterServiceVersion, where);
    const rows = all
      .filter(({ metadata }) => metadata.labels?.["olm.copiedFrom"] === undefined)
      .map(({ metadata, spec, status }) => ({
        namespace: metadata.namespace ?? "",
        name: metadata.name,
        version: spec.version ?? "",
        phase: status?.phase ?? "",
        replaces: spec.replaces ?? "",
      }));
    const extensions = (await extensionsIn(connected.cluster, where)).flatMap(({ spec, status }) =>
      status?.install === undefined
        ? []
        : [{ ...status.install.bundle, namespace: spec.namespace, phase: "Installed", replaces: "" }],
    );
    const listed = [...rows, ...extensions];
    const titles = ["NAMESPACE", "NAME", "VERSION", "PHASE", "REPLACES"];
    const cells = listed.map((row) => [row.namespace, row.name, row.version, row.phase, row.replaces]);
    await print({ terminal, output: options.output }, { value: listed, table: { titles, rows: cells } });
  },
});

/** The command `capstan lifecycle history`: the InstallPlans of a namespace, and their approvals. */
export const lifecycleHistory: Command = defineCommand({
  describe: "The InstallPlans of a namespace, oldest first: what each installed, and who approved it when.",
  options: lifecycleOptions,
  examples: [
    { line: "capstan lifecycle history -n shop", does: "What was installed and upgraded" },
    { line: "capstan lifecycle history -n shop -o json", does: "The same for an audit" },
  ],
  run: async ({ options, terminal }) => {
    await using connected = await connectLifecycle(options, terminal);
    const plans = await connected.cluster.list(InstallPlan, { namespace: connected.namespace });
    const rows = [...plans]
      .sort((a, b) => (a.spec.generation ?? 0) - (b.spec.generation ?? 0))
      .map(({ metadata, spec, status }) => ({
        generation: spec.generation ?? 0,
        name: metadata.name,
        operators: spec.clusterServiceVersionNames,
        approval: spec.approval,
        approved: spec.approved,
        approvedBy: metadata.annotations?.["capstan.dev/approved-by"] ?? "",
        approvedAt: metadata.annotations?.["capstan.dev/approved-at"] ?? "",
        created: metadata.creationTimestamp,
        phase: status?.phase ?? "",
      }));
    const titles = ["GENERATION", "NAME", "OPERATORS", "APPROVAL", "APPROVED BY", "CREATED", "PHASE"];
    const cells = rows.map((row) => [
      String(row.generation),
      row.name,
      row.operators.join(", "),
      row.approval,
      row.approvedBy,
      row.created,
      row.phase,
    ]);
    await print({ terminal, output: options.output }, { value: rows, table: { titles, rows: cells } });
  },
});
