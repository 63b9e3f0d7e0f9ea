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
  const next = { ...wanted, lastTransitionTime: now };
  draft.status = { ...schema.status, conditions: [...others, next] };
  draft.metadata.managedFields = ownersOf(schema, now, changedFields(present ?? {}, next));
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

function changedFields(before: object, after: object): readonly string[] {
  return Object.entries(after)
    .filter(([name, value]) => Reflect.get(before, name) !== value)
    .map(([name]) => `f:${name}`);
}

type Fields = { readonly [name: string]: unknown };

/** The fields without those at a path; parents that become empty are left out. `undefined` if nothing is left. */
function withoutFields(fields: Fields, path: readonly string[], names: readonly string[]): Fields | undefined {
  const [first, ...rest] = path;
  const entries = Object.entries(fields).flatMap(([name, part]): [string, unknown][] => {
    if (first === undefined) return names.includes(name) ? [] : [[name, part]];
    if (name !== first) return [[name, part]];
    const kept = withoutFields(part as Fields, rest, names);
    return kept === undefined ? [] : [[name, kept]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

const conditionKey = `k:{"type":"${type}"}`;

/** The condition has its own field manager, which takes the fields that it changes from others. */
function ownersOf({ metadata }: FlowSchema, time: string, taken: readonly string[]): Draft<Owners> {
  const others = (metadata.managedFields ?? []).flatMap((owner) => {
    if (owner.manager === manager) return [];
    const fieldsV1 = withoutFields((owner.fieldsV1 ?? {}) as Fields, ["f:status", "f:conditions", conditionKey], taken);
    return fieldsV1 === undefined ? [] : [{ ...owner, fieldsV1 }];
  });
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
    fieldsV1: { "f:status": { "f:conditions": { [conditionKey]: condition } } },
    subresource: "status",
  };
  // Apply entries come before Update entries.
  return cloneJson([own, ...others] as Owners) as Draft<Owners>;
}
