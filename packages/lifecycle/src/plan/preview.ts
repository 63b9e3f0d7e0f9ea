/** The InstallPlan that a resolution would lead to, made in memory: nothing is written, so it can be read before anything is asked for. */
import type { InstallPlan } from "../kinds/install-plan.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { inOrder, stepsOf } from "../install-plan/steps.ts";
import type { Selection } from "../resolve/resolution.ts";
import { inlineObjects } from "../subscription/bundle-steps.ts";

/** The name of a plan that does not exist. */
export const previewName = "preview";

/** What a preview is made from. */
export interface PreviewOptions {
  readonly namespace: string;
  /** Reads the objects of a bundle from its image. */
  readonly readBundle: ManagerSetting["readBundle"];
  /** The names of pull secrets in the namespace of a catalog. */
  readonly secretsOf: (catalog: Selection["catalog"]) => readonly string[];
}

/** The plan. */
export async function previewPlan(
  selections: readonly Selection[],
  { namespace, readBundle, secretsOf }: PreviewOptions,
): Promise<InstallPlan> {
  const steps = [];
  for (const selection of selections) {
    const { bundle, catalog, properties, replaces } = selection;
    const pull = { namespace: catalog.namespace, secrets: secretsOf(catalog) };
    const objects = inlineObjects(selection) ?? (await readBundle(bundle.image, pull));
    steps.push(...stepsOf({ name: bundle.name, objects, properties, replaces, catalog }, namespace));
  }
  const names = selections.map(({ bundle }) => bundle.name);
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "InstallPlan",
    metadata: { name: previewName, namespace, uid: "", resourceVersion: "", creationTimestamp: "" },
    spec: { approval: "Manual", approved: false, clusterServiceVersionNames: names },
    status: { phase: "RequiresApproval", catalogSources: [], plan: inOrder(steps) },
  };
}
