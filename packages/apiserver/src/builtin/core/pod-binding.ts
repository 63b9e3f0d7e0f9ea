/** Binding: a scheduler gives a pod its node. */
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

/** The door `binding` of a pod. */
export const bindingDoor: ActionRules<Pod> = {
  type: "action",
  kind,
  check(body, name) {
    if (body.metadata.name !== name) throw apiErrors.badRequest("name in URL does not match name in Binding object");
    const errors = checkBinding(body as Binding);
    if (errors.length > 0)
      throw new StatusError(toFailure({ code: 500, reason: "", message: fieldErrors.formatAll(errors) }));
  },
  run(action) {
    if (!action.context.dryRun) assign(action, action.body as Binding);
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

/** What is wrong with a binding. */
export function checkBinding({ target }: Binding): FieldError[] {
  const { kind: targetKind = "", name = "" } = target;
  return [
    ...(targetKind === "" || targetKind === "Node"
      ? []
      : [fieldErrors.notSupportedName("target.kind", targetKind, ["Node", "<empty>"])]),
    ...(name === "" ? [fieldErrors.required("target.name")] : []),
  ];
}

function assign({ object: pod, context, writer }: Action<Pod>, { metadata, target }: Binding): void {
  const why = refusal(pod);
  if (why !== undefined) {
    throw apiErrors.conflict({ group: "", resource: "pods/binding" }, pod.metadata.name ?? "", why);
  }
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

function refusal({ metadata, spec }: Pod): string | undefined {
  if (metadata.deletionTimestamp !== undefined) {
    return `pod ${metadata.name} is being deleted, cannot be assigned to a host`;
  }
  if (!isEmpty(spec?.nodeName)) return `pod ${metadata.name} is already assigned to node "${spec?.nodeName}"`;
  if ((spec?.schedulingGates ?? []).length > 0) return `pod ${metadata.name} has non-empty .spec.schedulingGates`;
  return undefined;
}
