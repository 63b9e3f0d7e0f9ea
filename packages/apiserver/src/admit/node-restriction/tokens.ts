/** What tokens a kubelet may request: bound to a pod on it, for an audience that the pod names or that RBAC grants. */
import type { BoundObjectReference, TokenRequest } from "@capstan/kinds/authentication.k8s.io/v1";
import type { CSIDriver } from "@capstan/kinds/storage.k8s.io/v1";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { apiErrors, quote, StatusError, type KubeObject } from "@capstan/model";
import { claimOf } from "../../authorize/node/pod-references.ts";
import { aggregateText } from "../../go-aggregate.ts";
import type { AdmissionContext } from "../admission.ts";
import { objectOf, refusal } from "../target.ts";
import type { NodeWrite } from "./node-restriction.ts";
import { podOf } from "./pods.ts";

export async function checkToken(write: NodeWrite): Promise<void> {
  const { request } = write;
  if (request.operation !== "CREATE" || request.subresource !== "token") return;
  const { spec } = objectOf<TokenRequest>(request) as TokenRequest;
  const pod = boundPod(write, spec?.boundObjectRef ?? {});
  const problem = await audienceProblem(write, pod, spec?.audiences ?? []);
  if (problem !== undefined) throw refusal(request, problem);
}

/** The pod that the token is bound to; it must be on the node. */
function boundPod(write: NodeWrite, { apiVersion, kind, name = "", uid = "" }: BoundObjectReference): Pod {
  const { request, node } = write;
  if (apiVersion !== "v1" || kind !== "Pod" || name === "") {
    throw refusal(request, "node requested token not bound to a pod");
  }
  if (uid === "") throw refusal(request, "node requested token with a pod binding without a uid");
  const pod = podOf(write, name);
  if (uid !== pod.metadata?.uid) {
    const why = "does not match the UID in record. The object might have been deleted and then recreated";
    throw refusal(request, `the UID in the bound object reference (${uid}) ${why}`);
  }
  if (pod.spec?.nodeName === node) return pod;
  throw refusal(request, "node requested token bound to a pod scheduled on a different node");
}

async function audienceProblem(
  { request, context }: NodeWrite,
  pod: Pod,
  audiences: readonly string[],
): Promise<string | undefined> {
  if (audiences.length > 1) return "node may only request 0 or 1 audiences";
  const [audience = ""] = audiences;
  const found = namesAudience(pod, audience, context);
  if (found === true) return undefined;
  if (typeof found === "string") return `error validating audience ${quote(audience)}: ${found}`;
  const { user, namespace, name } = request;
  const verb = "request-serviceaccounts-token-audience";
  const target = { group: "", version: "v1", resource: audience, subresource: "", namespace, name };
  const { verdict } = await context.authorizer.authorize({ type: "resource", user, verb, ...target });
  if (verdict === "Allow") return undefined;
  const why = `${user.name} is not authorized to request tokens for this audience`;
  return `audience ${quote(audience)} not found in pod spec volume, ${why}`;
}

/** Whether a volume of a pod needs tokens for an audience; the errors if that is not known. */
function namesAudience(pod: Pod, audience: string, context: AdmissionContext): boolean | string {
  const problems: string[] = [];
  for (const volume of pod.spec?.volumes ?? []) {
    const sources = volume.projected?.sources ?? [];
    if (sources.some(({ serviceAccountToken: token }) => token !== undefined && (token.audience ?? "") === audience)) {
      return true;
    }
    try {
      const driver = driverOf(pod, volume, context);
      if (driver === "") continue;
      const { spec } = found<CSIDriver>(context, "csidrivers.storage.k8s.io", { name: driver, singular: "csidriver" });
      if ((spec?.tokenRequests ?? []).some((token) => (token.audience ?? "") === audience)) return true;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      problems.push(error.message);
    }
  }
  return problems.length === 0 ? false : aggregateText(problems);
}

type Volume = NonNullable<NonNullable<Pod["spec"]>["volumes"]>[number];

/** The CSI driver of a volume, also of a built-in type that a driver has replaced; empty if there is none. */
function driverOf(pod: Pod, volume: Volume, context: AdmissionContext): string {
  const claim = claimOf(pod, volume);
  if (claim === undefined) return volume.csi?.driver ?? replacedBy(volume);
  const namespace = pod.metadata?.namespace ?? "";
  const { spec } = found<PersistentVolumeClaim>(context, "persistentvolumeclaims", {
    name: claim,
    namespace,
    singular: "persistentvolumeclaim",
  });
  const name = spec?.volumeName ?? "";
  const bound = found<PersistentVolume>(context, "persistentvolumes", { name, singular: "persistentvolume" });
  return bound.spec?.csi?.driver ?? replacedBy(bound.spec ?? {});
}

/** The drivers of the volume types that Kubernetes translates to CSI. */
const replacements: readonly (readonly [source: string, driver: string])[] = [
  ["awsElasticBlockStore", "ebs.csi.aws.com"],
  ["gcePersistentDisk", "pd.csi.storage.gke.io"],
  ["cinder", "cinder.csi.openstack.org"],
  ["azureDisk", "disk.csi.azure.com"],
  ["azureFile", "file.csi.azure.com"],
  ["vsphereVolume", "csi.vsphere.vmware.com"],
  ["portworxVolume", "pxd.portworx.com"],
];

function replacedBy(volume: object): string {
  return replacements.find(([source]) => Object.hasOwn(volume, source))?.[1] ?? "";
}

interface Wanted {
  readonly name: string;
  readonly namespace?: string;
  /** Errors name the singular, as those of Go's listers. */
  readonly singular: string;
}

function found<T>({ lookup }: AdmissionContext, resource: string, { name, namespace, singular }: Wanted): T {
  const object: KubeObject | undefined = lookup.get(resource, name, namespace);
  if (object !== undefined) return object as T;
  const dot = resource.indexOf(".");
  throw apiErrors.notFound({ group: dot < 0 ? "" : resource.slice(dot + 1), resource: singular }, name);
}
