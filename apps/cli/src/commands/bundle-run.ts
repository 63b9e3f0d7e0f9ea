/** `capstan bundle run`: installs or upgrades an operator from its bundle, through a catalog in a ConfigMap that has only this package. */
import type { DescribedBundle } from "@capstan/bundle";
import { ConfigMap, Namespace } from "@capstan/kinds/v1";
import {
  type BundleExtras,
  CatalogSource,
  ClusterServiceVersion,
  extrasKey,
  type Manifest,
  Subscription,
} from "@capstan/lifecycle";
import { describeReference } from "../catalog/open.ts";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { recordAct } from "../lifecycle/audit.ts";
import { type Connected, connectLifecycle, lifecycleOptions } from "../lifecycle/options.ts";
import { ensureGroup } from "../lifecycle/until-installed.ts";
import { secondsOf, until } from "../lifecycle/wait.ts";
import { print } from "../output/print.ts";
import { insecureOption } from "../registry/session.ts";

const CHANNEL = "bundle-run";
/** A ConfigMap holds 1 MiB. */
const LIMIT = 1_000_000;

/** Runs a bundle. */
export const bundleRun: Command = defineCommand({
  describe:
    "Puts the bundle into a catalog of its own, subscribes to it, and waits until the operator runs. The next version of the package upgrades it. The cluster needs `capstan lifecycle run` or OLM. With OLM, only the ClusterServiceVersion and the CRDs of the bundle are installed.",
  arguments: [{ name: "BUNDLE", describe: "the image of the bundle, or its folder", presence: "required" }],
  options: {
    ...lifecycleOptions,
    watch: {
      type: "text",
      value: "MODE",
      choices: ["own", "all"],
      default: "own",
      describe: "which namespaces it watches",
    },
    insecure: insecureOption,
    timeout: { type: "text", value: "SECONDS", default: "300", describe: "how long to wait" },
  },
  examples: [
    { line: "capstan bundle run ./bundle -n shop", does: "Try a bundle before it is published" },
    {
      line: "capstan bundle run registry.example.com/app-bundle:v1.1.0 -n shop -o json",
      does: "Upgrade to the next one",
    },
  ],
  run: async ({ options, args: [reference = ""], terminal }) => {
    const bundle = await describeReference(reference, { terminal, insecure: options.insecure, imageTemplate: "" });
    await using connected = await connectLifecycle(options, terminal);
    const { cluster, namespace } = connected;
    await cluster.ensure(Namespace, { metadata: { name: namespace } });
    await ensureGroup(connected, options.watch === "all");
    const catalog = `${bundle.blob.package}-bundle`;
    await putCatalog(connected, { catalog, bundle });
    const spec = { name: bundle.blob.package, channel: CHANNEL, source: catalog, sourceNamespace: namespace };
    const made = await cluster.ensure(Subscription, { metadata: { name: bundle.blob.package, namespace }, spec });
    if (made === "exists") await checkSubscription(connected, { name: bundle.blob.package, catalog });
    await recordAct(connected, { action: "install", operator: bundle.blob.name, detail: `bundle ${reference}` });
    const end = await untilRunning(connected, { bundle, seconds: secondsOf(options.timeout) });
    await print({ terminal, output: options.output }, { value: end, table: `${end.message}\n` });
    return end.ok ? 0 : 1;
  },
});

interface Wanted {
  readonly catalog: string;
  readonly bundle: DescribedBundle;
}

interface Content {
  readonly csvs: readonly ClusterServiceVersion[];
  readonly crds: readonly Manifest[];
  readonly extras: readonly BundleExtras[];
}

async function putCatalog({ cluster, namespace }: Connected, { catalog, bundle }: Wanted): Promise<void> {
  const before = await cluster.get(ConfigMap, { namespace, name: catalog });
  const known = before === undefined ? { csvs: [], crds: [], extras: [] } : readContent(before);
  const content = withBundle(known, bundle);
  const packages = [{ packageName: bundle.blob.package, channels: [{ name: CHANNEL, currentCSV: bundle.blob.name }] }];
  const data = {
    clusterServiceVersions: JSON.stringify(content.csvs),
    customResourceDefinitions: JSON.stringify(content.crds),
    packages: JSON.stringify(packages),
    [extrasKey]: JSON.stringify(content.extras),
  };
  const size = Object.values(data).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (size > LIMIT)
    throw new CliError(
      "BadInput",
      `the bundle needs ${size} bytes and a ConfigMap holds 1 MiB: make a catalog with \`capstan catalog add\`, build and push it`,
    );
  await cluster.apply(ConfigMap, { metadata: { name: catalog, namespace }, data }, "capstan-bundle-run");
  const spec = { sourceType: "configmap", configMap: catalog } as const;
  await cluster.ensure(CatalogSource, { metadata: { name: catalog, namespace }, spec });
}

function readContent({ data = {} }: ConfigMap): Content {
  const list = (key: string): readonly never[] => JSON.parse(data[key] ?? "[]") as never[];
  return { csvs: list("clusterServiceVersions"), crds: list("customResourceDefinitions"), extras: list(extrasKey) };
}

const derived = new Set(["olm.package", "olm.gvk", "olm.gvk.required", "olm.bundle.object", "olm.csv.metadata"]);

/** The content with the bundle, which replaces the newest version unless it says what it replaces. CRDs are those of the bundle. */
function withBundle({ csvs, crds, extras }: Content, { blob }: DescribedBundle): Content {
  const objects = blob.readLarge().flatMap(({ type, value }) => (type === "olm.bundle.object" ? [decode(value)] : []));
  const own = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
  const names = new Set(own.map(({ metadata }) => metadata.name));
  // The manifest of a ClusterServiceVersion has the shape of its kind.
  const csv = objects.find(({ kind }) => kind === "ClusterServiceVersion") as unknown as ClusterServiceVersion;
  const others = csvs.filter(({ metadata }) => metadata.name !== blob.name);
  const replaces = csv.spec.replaces ?? others.at(-1)?.metadata.name;
  const next = { ...csv, spec: { ...csv.spec, ...(replaces === undefined ? {} : { replaces }) } };
  const extra = {
    operator: blob.name,
    objects: objects.filter(({ kind }) => kind !== "CustomResourceDefinition" && kind !== "ClusterServiceVersion"),
    properties: blob.properties.filter(({ type }) => !derived.has(type)),
  };
  return {
    csvs: [...others, next],
    crds: [...crds.filter(({ metadata }) => !names.has(metadata.name)), ...own],
    extras: [...extras.filter(({ operator }) => operator !== blob.name), extra],
  };
}

function decode(value: unknown): Manifest {
  const { data = "" } = value as { readonly data?: string };
  // What describeBundle read are objects with a kind and metadata.
  return JSON.parse(Buffer.from(data, "base64").toString("utf8")) as Manifest;
}

async function checkSubscription(
  { cluster, namespace }: Connected,
  { name, catalog }: { readonly name: string; readonly catalog: string },
): Promise<void> {
  const found = await cluster.get(Subscription, { namespace, name });
  if (found === undefined || found.spec.source === catalog) return;
  throw new CliError(
    "Conflict",
    `the namespace ${namespace} has a Subscription ${name} of the catalog ${found.spec.source}: uninstall it first, or use another namespace`,
  );
}

interface Running {
  readonly ok: boolean;
  readonly phase: string;
  readonly message: string;
}

async function untilRunning(
  { cluster, namespace }: Connected,
  { bundle, seconds }: { readonly bundle: DescribedBundle; readonly seconds: number },
): Promise<Running> {
  const { name } = bundle.blob;
  const look = async (): Promise<Running & { readonly isFinal: boolean }> => {
    const csv = await cluster.get(ClusterServiceVersion, { namespace, name });
    const { phase = "", message = "" } = csv?.status ?? {};
    if (phase === "Succeeded") return { ok: true, phase, message: `${name} runs`, isFinal: true };
    const { status } = (await cluster.get(Subscription, { namespace, name: bundle.blob.package })) ?? {};
    const told = status?.conditions?.find((each) => each.status === "True")?.message ?? "";
    const waiting = told === "" ? "nothing happened yet: is `capstan lifecycle run` or OLM running?" : told;
    return { ok: false, phase, message: phase === "" ? waiting : `${name} is ${phase}: ${message}`, isFinal: false };
  };
  const { isFinal: _, ...end } = await until(look, { holds: ({ isFinal }) => isFinal, seconds });
  return end;
}
