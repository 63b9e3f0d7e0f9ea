/** Responses with a Scale: the object, a table, or its metadata. */
import { toGoJson, type Json, type KubeObject } from "@capstan/model";
import type { Answer } from "../answer.ts";
import type { ResourceExchange } from "../exchange.ts";
import { ageOf } from "../builtin/table/cells.ts";
import { toPartialMetadata } from "./partial-metadata.ts";
import { respondJson } from "./respond.ts";

interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number };
}

/** Responds with a projection in the negotiated format. */
export function respondProjection(exchange: ResourceExchange, scale: KubeObject): Answer {
  const { media } = exchange;
  switch (media.transform?.kind) {
    case "Table":
      return respondJson(200, toGoJson(tableOf(exchange, scale, media.transform.version)), media);
    case "PartialObjectMetadata":
      return respondJson(200, toGoJson(toPartialMetadata(noRules, scale, media.transform.version)), media);
    default:
      return respondJson(200, toGoJson(scale), media);
  }
}

const noRules = { rules: {} } as const;

function tableOf({ resource, parts, query }: ResourceExchange, scale: Scale, version: "v1" | "v1beta1"): Json {
  const { name = "", resourceVersion = "" } = scale.metadata;
  const age = ageOf(scale, parts.clock.wall());
  const isBare = query.get("includeObject") === "None";
  const object = isBare ? null : (toPartialMetadata(noRules, scale, version) as unknown as Json);
  const row = { cells: [name, scale.spec?.replicas ?? 0, scale.status?.replicas ?? 0, age], object };
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: { resourceVersion },
    columnDefinitions: resource.isCustom ? customColumns : builtinColumns,
    rows: [row],
  };
}

const nameText =
  "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
const ageText =
  "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

const builtinColumns: Json = [
  column("Name", "string", nameText),
  column("Desired", "integer", "replicas is the desired number of instances for the scaled object."),
  column("Available", "integer", "replicas is the actual number of observed instances of the scaled object."),
  column("Age", "string", ageText),
];

const customColumns: Json = [
  { ...column("Name", "string", nameText), format: "name" },
  column("Desired", "integer", "Number of desired replicas"),
  column("Available", "integer", "Number of actual replicas"),
  column("Age", "date", ageText),
];

interface Column {
  readonly [field: string]: Json;
  readonly name: string;
}

function column(name: string, type: string, description: string): Column {
  return { name, type, format: "", description, priority: 0 };
}
