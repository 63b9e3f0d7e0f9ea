/** Binding: assigns a pod to a node. */
import type { Binding, Pod } from "@capstan/kinds/v1";
import {
  apiErrors,
  cloneJson,
  fieldErrors,
  StatusError,
  toFailure,
  type FieldError,
  type KubeObject,
} from "@capstan/model";
import { isEmpty } from "../meta/checks.ts";
import type { Action, ActionRules } from "../rules.ts";
import { setPodCondition } from "./pod-condition.ts";

const kind = { group: "", version: "v1", kind: "Binding" } as const;

/** The subresource `binding` of a pod. */
export const bindingRules: ActionRules<Pod> = {
  type: "action",
  kind,
  check({ body, name }) {
    if (name !== "" && body.metadata.name !== name)
      throw apiErrors.badRequest("name in URL does not match name in Binding object");
    const errors = checkBinding(body as Binding);
    if (errors.length > 0)
      throw new StatusError(toFailure({ code: 500, reason: "", message: fieldErrors.formatAll(errors) }));
    // kube-apiserver checks for an empty name only when it reads the pod from the store, hence after the other checks.
    if (name === "") throw apiErrors.badRequest("Name parameter required.");
  },
  run(action) {
    assign(action, action.body as Binding);
    return success;
  },
};

const success: KubeObject = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  code: 201,
} as KubeObject;

export function checkBinding({ target }: Binding): FieldError[] {
  const { kind: targetKind = "", name = "" } = target;
  return [
    ...(targetKind === "" || targetKind === "Node"
      ? []
      : [fieldErrors.notSupported("target.kind", targetKind, ["Node", "<empty>"])]),
    ...(name === "" ? [fieldErrors.required("target.name")] : []),
  ];
}

function assign({ object: pod, context, writer }: Action<Pod>, { metadata, target }: Binding): void {
  checkPreconditions(pod, metadata, context.dryRun);
  const why = refusal(pod);
  if (why !== undefined) {
    throw apiErrors.conflict({ group: "", resource: "pods/binding" }, pod.metadata.name ?? "", why);
  }
  if (context.dryRun) return;
  const draft = cloneJson(pod);
  draft.spec = { ...(draft.spec ?? { containers: [] }), nodeName: target.name ?? "" };
  draft.status ??= {};
  delete draft.status.nominatedNodeName;
  setPodCondition(draft.status, { type: "PodScheduled", status: "True" }, context.now);
  if (metadata.annotations !== undefined) {
    draft.metadata.annotations = { ...draft.metadata.annotations, ...metadata.annotations };
  }
  if (metadata.labels !== undefined) draft.metadata.labels = { ...draft.metadata.labels, ...metadata.labels };
  writer.update("pods", draft);
}

/** A binding may have preconditions on the pod; the error is that of the etcd store of kube-apiserver. */
function checkPreconditions({ metadata: pod }: Pod, asked: Binding["metadata"], dryRun: boolean): void {
  const { uid = "", resourceVersion = "" } = asked;
  const unmet = (what: string, wanted: string, found = ""): StatusError => {
    // The key of a dry run does not have the prefix of the store.
    const key = `${dryRun ? "" : "/registry"}/pods/${pod.namespace}/${pod.name}`;
    const why = `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`;
    const message = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
    return apiErrors.conflict({ group: "", resource: "pods" }, pod.name ?? "", message);
  };
  if (uid !== "" && uid !== pod.uid) throw unmet("UID", uid, pod.uid);
  if (resourceVersion !== "" && resourceVersion !== pod.resourceVersion) {
    throw unmet("ResourceVersion", resourceVersion, pod.resourceVersion);
  }
}

function refusal({ metadata, spec }: Pod): string | undefined {
  if (metadata.deletionTimestamp !== undefined) {
    return `pod ${metadata.name} is being deleted, cannot be assigned to a host`;
  }
  if (!isEmpty(spec?.nodeName)) return `pod ${metadata.name} is already assigned to node "${spec?.nodeName}"`;
  if ((spec?.schedulingGates ?? []).length > 0) return `pod ${metadata.name} has non-empty .spec.schedulingGates`;
  return undefined;
}
