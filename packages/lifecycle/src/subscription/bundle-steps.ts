/** The steps of the bundles that a resolution selects. A bundle in an image is unpacked into a ConfigMap first. */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { readYamlDocuments } from "@capstan/bundle";
import { ConfigMap } from "@capstan/kinds/v1";
import { apiVersionOf, toGoJson } from "@capstan/model";
import { managedLabel, nonBlockingOwner } from "../cluster/owners.ts";
import type { Manifest } from "../csv/permissions.ts";
import { readUnpacked } from "../install-plan/manifest.ts";
import type { ManifestReference } from "../install-plan/manifest.ts";
import { BundleContentError, formatProperties, inOrder, stepsOf, toStep } from "../install-plan/steps.ts";
import { CatalogSource } from "../kinds/catalog-source.ts";
import type { BundleLookup, Step } from "../kinds/install-plan.ts";
import { Subscription } from "../kinds/subscription.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import type { Selection } from "../resolve/resolution.ts";
import { generatedSubscriptionName } from "../resolve/resolve.ts";

/** What a plan consists of. */
export interface PlanContent {
  readonly steps: readonly Step[];
  readonly lookups: readonly BundleLookup[];
}

/** The content of a plan for selections in a namespace. */
export async function planContent(
  selections: readonly Selection[],
  namespace: string,
  setting: ManagerSetting,
): Promise<PlanContent> {
  const steps: Step[] = [];
  const lookups: BundleLookup[] = [];
  for (const selection of selections) {
    const { bundle, catalog } = selection;
    const inline = inlineObjects(selection);
    const objects = inline ?? (await unpack(selection, setting));
    const { properties, replaces } = selection;
    const content = { name: bundle.name, objects, properties, replaces, catalog };
    const own = stepsOf(content, namespace);
    if (inline === undefined) {
      steps.push(...own.map((step) => referring(step, selection)));
      lookups.push(toLookup(selection));
    } else {
      steps.push(...own);
    }
    if (selection.subscriptions.length === 0) steps.push(subscriptionStep(selection, namespace));
  }
  return { steps: inOrder(steps), lookups };
}

/** The objects that the catalog itself contains. */
export function inlineObjects({ bundle }: Selection): readonly Manifest[] | undefined {
  const all = [...bundle.properties, ...(bundle.readLarge?.() ?? [])];
  const objects = all.filter(({ type }) => type === "olm.bundle.object");
  return objects.length === 0 ? undefined : objects.map(({ value }) => readObject(value, bundle.name));
}

function readObject(value: unknown, bundle: string): Manifest {
  const data = (value as { readonly data?: string } | null)?.data ?? "";
  const [document] = readYamlDocuments(Buffer.from(data, "base64").toString("utf8"));
  const object: unknown = document?.toJS();
  if (document === undefined || document.errors.length > 0 || typeof object !== "object" || object === null) {
    throw new BundleContentError(`the bundle ${bundle} contains an object that is neither JSON nor YAML`);
  }
  // Objects of a bundle have a kind and metadata; the server checks the rest.
  return object as Manifest;
}

/** The name of the ConfigMap for an image. */
export function unpackedName(image: string): string {
  return createHash("sha256").update(image).digest("hex").slice(0, 63);
}

async function unpack(
  { bundle, catalog }: Selection,
  { cluster, readBundle }: ManagerSetting,
): Promise<readonly Manifest[]> {
  const { namespace } = catalog;
  const name = unpackedName(bundle.image);
  const known = await cluster.get(ConfigMap, { namespace, name });
  if (known?.binaryData !== undefined) return readUnpacked(known);
  const source = await cluster.get(CatalogSource, { namespace, name: catalog.name });
  const objects = await readBundle(bundle.image, { namespace, secrets: source?.spec.secrets ?? [] });
  const entries = objects.map((object, at) => [
    `${String(at).padStart(3, "0")}-${object.kind.toLowerCase()}.json`,
    gzipSync(toGoJson(object)).toString("base64"),
  ]);
  const ownerReferences = source === undefined ? [] : [nonBlockingOwner(source)];
  const metadata = { name, namespace, labels: managedLabel, ownerReferences };
  await cluster.ensure(ConfigMap, { metadata, binaryData: Object.fromEntries(entries) });
  return objects;
}

function referring(step: Step, { bundle, catalog, properties, replaces = "" }: Selection): Step {
  const reference: ManifestReference = {
    kind: "ConfigMap",
    name: unpackedName(bundle.image),
    namespace: catalog.namespace,
    catalogSourceName: catalog.name,
    catalogSourceNamespace: catalog.namespace,
    replaces,
    properties: formatProperties(properties),
  };
  return { ...step, resource: { ...step.resource, manifest: JSON.stringify(reference) } };
}

function toLookup({ bundle, catalog, properties, replaces = "" }: Selection): BundleLookup {
  return {
    path: bundle.image,
    identifier: bundle.name,
    replaces,
    catalogSourceRef: catalog,
    properties: formatProperties(properties),
  };
}

/** A dependency gets a Subscription, so that it is upgraded like everything else. */
function subscriptionStep(selection: Selection, namespace: string): Step {
  const { bundle, channel, catalog } = selection;
  const name = generatedSubscriptionName(selection);
  const manifest: Manifest = {
    apiVersion: apiVersionOf(Subscription),
    kind: "Subscription",
    metadata: { name, namespace },
    spec: {
      channel,
      installPlanApproval: "Automatic",
      name: bundle.package,
      source: catalog.name,
      sourceNamespace: catalog.namespace,
      startingCSV: bundle.name,
    },
  };
  return toStep(manifest, bundle.name, catalog);
}
