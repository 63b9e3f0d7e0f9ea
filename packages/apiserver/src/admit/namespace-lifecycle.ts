/** NamespaceLifecycle: rejects creation in a missing or terminating namespace, and deletion of system namespaces. */
import { apiErrors, StatusError, type KubeObject } from "@capstan/model";
import type { AdmissionContext, AdmissionRequest, AdmissionStep } from "./admission.ts";
import { isForAny, refusal } from "./target.ts";

const immortal: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"]);

export const namespaceLifecycle: AdmissionStep = {
  name: "NamespaceLifecycle",
  handles: (operation) => operation !== "CONNECT",
  mutate: admit,
};

interface Namespace extends KubeObject {
  readonly status?: { readonly phase?: string };
}

function admit(request: AdmissionRequest, { lookup }: AdmissionContext): void {
  const { operation, kind, namespace } = request;
  if (kind.kind === "Namespace" && kind.group === "") return keepImmortal(request);
  if (namespace === "" || operation === "DELETE") return;
  // A check of the namespace would reveal its existence to users without access.
  if (isForAny(request, "localsubjectaccessreviews", "authorization.k8s.io")) return;
  const found: Namespace | undefined = lookup.get("namespaces", namespace);
  if (found === undefined) throw apiErrors.notFound({ group: "", resource: "namespaces" }, namespace);
  if (operation === "CREATE" && found.status?.phase === "Terminating") throw terminating(request);
}

function keepImmortal({ operation, name, resource }: AdmissionRequest): void {
  if (operation !== "DELETE" || !immortal.has(name)) return;
  throw apiErrors.forbidden(resource, name, "this namespace may not be deleted");
}

function terminating(request: AdmissionRequest): StatusError {
  const { namespace } = request;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = refusal(request, why);
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  return new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
}
