/** Runs the steps of an InstallPlan once. Every step may be repeated after a crash. */
import { isApiError } from "@capstan/client";
import type { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import type { Cluster } from "../cluster/cluster.ts";
import type { Manifest } from "../csv/permissions.ts";
import { isCopied } from "../csv/replacement.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import type { InstallPlan, Step, StepStatus } from "../kinds/install-plan.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { runCrdStep } from "./crd-step.ts";
import { StepError } from "./errors.ts";
import { manifestOf } from "./manifest.ts";
import { isSupportedKind, notServed, runObjectStep } from "./object-step.ts";

/** The plan, and how to run it. */
export interface Execution {
  readonly plan: InstallPlan;
  readonly setting: ManagerSetting;
  /** The calls of the group's service account, or those of the manager. */
  readonly cluster: Cluster;
  readonly warn: (message: string) => void;
}

/** The steps afterwards, and the error that stopped them. */
export interface Executed {
  readonly steps: readonly Step[];
  readonly error?: Error;
}

/** Runs the steps in order until one fails. */
export async function execute(execution: Execution): Promise<Executed> {
  const steps = [...(execution.plan.status?.plan ?? [])];
  for (const [at, step] of steps.entries()) {
    try {
      steps[at] = { ...step, status: await runStep(step, execution) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (error instanceof StepError && error.code === "Unsupported")
        steps[at] = { ...step, status: "UnsupportedResource" };
      return { steps, error };
    }
  }
  return { steps };
}

const DONE: ReadonlySet<StepStatus> = new Set<StepStatus>(["Present", "Created"]);

async function runStep(step: Step, execution: Execution): Promise<StepStatus> {
  const { kind } = step.resource;
  if (DONE.has(step.status)) return step.status;
  if (!isSupportedKind(kind)) throw new StepError("Unsupported", "the InstallPlan contains invalid data");
  const manifest = await manifestOf(step, {
    cluster: execution.setting.cluster,
    namespace: execution.plan.metadata.namespace ?? "",
  });
  if (kind === "CustomResourceDefinition") return crdStep(step, manifest, execution);
  if (step.status !== "Unknown" && step.status !== "NotPresent") {
    throw new StepError("Unsupported", "the InstallPlan contains invalid data");
  }
  return objectStep(step, manifest, execution);
}

async function crdStep(step: Step, manifest: Manifest, execution: Execution): Promise<StepStatus> {
  const { plan, setting, cluster, warn } = execution;
  const { namespace = "" } = plan.metadata;
  if (!(await isServed(step, execution))) throw notServed(step);
  const all = await setting.cluster.list(ClusterServiceVersion);
  const places = new Set(
    all.filter((csv) => !isCopied(csv)).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
  );
  const installer = `${namespace}/${step.resolving}`;
  // A CRD of a bundle has the shape of its kind; the server checks it.
  const wanted = manifest as unknown as CustomResourceDefinition;
  const isInstalled = (place: string): boolean => place === installer || places.has(place);
  const writer = setting.scopedCrds === "manager" ? setting.cluster : cluster;
  return runCrdStep({ wanted, status: step.status, installer, isInstalled, warn, writer }, setting.cluster);
}

/** CRDs of a version that the server no longer serves cannot be installed as one of another version. */
async function isServed({ resource }: Step, { setting }: Execution): Promise<boolean> {
  const { group, version, kind } = resource;
  return version === CRD_VERSION || (await setting.discovery.kind(group, version, kind)) !== undefined;
}

const CRD_VERSION = "v1";

async function objectStep(step: Step, manifest: Manifest, { plan, setting, cluster }: Execution): Promise<StepStatus> {
  const { namespace = "", name } = plan.metadata;
  const owner = await setting.cluster.get(ClusterServiceVersion, { namespace, name: step.resolving });
  const object = { step, manifest, namespace, plan: name, owner };
  try {
    return await runObjectStep(object, cluster, setting.discovery);
  } catch (error) {
    if (!isApiError(error, "NotFound")) throw error;
    const { group, version, kind } = step.resource;
    const served = kind === "BundleSecret" ? "Secret" : kind;
    if ((await setting.discovery.kind(group, version, served)) !== undefined) throw error;
    throw notServed(step);
  }
}
