/** The `Dangling` condition of flow schemas: whether their priority level exists. The server updates it when either object is written. */
import type { FlowSchema as FlowSchemaObject } from "@capstan/kinds/flowcontrol.apiserver.k8s.io/v1";
import { cloneJson, quote, type KubeObject } from "@capstan/model";
import type { RuleContext, Writer } from "../context.ts";
import type { Draft } from "../draft.ts";
import type { StoredEvent } from "../rules.ts";
import type { Whole } from "../whole.ts";

type FlowSchema = Whole<FlowSchemaObject>;

const schemas = "flowschemas.flowcontrol.apiserver.k8s.io";
const levels = "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io";
const manager = "api-priority-and-fairness-config-consumer-v1";
const type = "Dangling";

/** Updates the condition of a flow schema that was written. */
export function tellSchema(event: StoredEvent<FlowSchema>, writer: Writer, context: RuleContext): void {
  if (event.type !== "deleted") tell(event.object, writer, context);
}

/** Updates the conditions of all flow schemas of a level that was created or deleted. */
export function tellSchemasOf(event: StoredEvent, writer: Writer, context: RuleContext): void {
  if (event.type === "updated") return;
  const { metadata } = event.type === "created" ? event.object : event.old;
  for (const schema of context.lookup.list(schemas) as readonly FlowSchema[]) {
    if (schema.spec.priorityLevelConfiguration.name === metadata.name) tell(schema, writer, context);
  }
}

function tell(schema: FlowSchema, writer: Writer, { lookup, now }: RuleContext): void {
  const { name } = schema.spec.priorityLevelConfiguration;
  const wanted = conditionOf(name, lookup.get(levels, name) !== undefined);
  const conditions = schema.status.conditions ?? [];
  const present = conditions.find((condition) => condition.type === type);
  if (present !== undefined && present.reason === wanted.reason && present.message === wanted.message) return;
  const draft = cloneJson(schema) as Draft<FlowSchema>;
  const others = conditions.filter((condition) => condition.type !== type);
  draft.status = { ...schema.status, conditions: [...others, { ...wanted, lastTransitionTime: now }] };
  draft.metadata.managedFields = ownersOf(schema, now);
  writer.update(schemas, draft as KubeObject);
}

function conditionOf(
  level: string,
  isFound: boolean,
): { type: string; status: string; reason: string; message: string } {
  const what = `This FlowSchema references the PriorityLevelConfiguration object named ${quote(level)}`;
  return isFound
    ? { type, status: "False", reason: "Found", message: `${what} and it exists` }
    : { type, status: "True", reason: "NotFound", message: `${what} but there is no such object` };
}

type Owners = NonNullable<KubeObject["metadata"]["managedFields"]>;

/** The condition has its own field manager. */
function ownersOf({ metadata }: FlowSchema, time: string): Draft<Owners> {
  const others = (metadata.managedFields ?? []).filter((owner) => owner.manager !== manager);
  const field = {};
  const condition = {
    ".": field,
    "f:lastTransitionTime": field,
    "f:message": field,
    "f:reason": field,
    "f:status": field,
    "f:type": field,
  };
  const own = {
    manager,
    operation: "Apply",
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    time,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:status": { "f:conditions": { [`k:{"type":"${type}"}`]: condition } } },
    subresource: "status",
  };
  // Apply entries come before Update entries.
  return cloneJson([own, ...others] as Owners) as Draft<Owners>;
}
