/** Descriptions of metadata fields for `kubectl explain`, written for this project: structure is taken from Kubernetes, texts are not. */
import type { Json } from "@capstan/model";

type Fields = { readonly [key: string]: Json | undefined };

interface Texts {
  readonly description: string;
  readonly fields: { readonly [field: string]: string };
}

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

const texts: { readonly [schema: string]: Texts } = {
  [`${meta}.ObjectMeta`]: {
    description: "ObjectMeta is what every stored object has: its identity, its labels, its owners and its life.",
    fields: {
      annotations:
        "Annotations are texts by name that tools and people attach to an object. Nothing is selected by them.",
      creationTimestamp:
        "CreationTimestamp is a timestamp that the server sets when it stores the object for the first time.",
      deletionGracePeriodSeconds:
        "How many seconds the object has from the request to delete it until it goes. Set by the server together with deletionTimestamp.",
      deletionTimestamp:
        "Time of the requested deletion. The server sets it when a client deletes an object that has finalizers or a grace period; from then on finalizers can only be removed.",
      finalizers:
        "Finalizers that must be removed before the object is deleted. The server deletes the object when the list is empty.",
      generateName: "A prefix from which the server makes a name that is not taken. Used only when there is no name.",
      generation: "Counts the changes of what is desired. Set by the server.",
      labels: "Labels are short texts by name, by which objects are selected and put into groups.",
      managedFields:
        "Field managers and the fields that they own. The server maintains the list and uses it to detect conflicts of server-side apply.",
      name: "The name of the object: one of its kind in its namespace, and never changed.",
      namespace: "Namespace of the object. Cluster-scoped objects have none.",
      ownerReferences:
        "Objects that this one exists for. When all of them are gone, the garbage collector deletes it. At most one of them is its controller.",
      resourceVersion:
        "Opaque version of the object. Compare it only for equality; send it with an update to detect concurrent writes, or with a watch to start from it.",
      selfLink: "No longer set by any server.",
      uid: "Tells the object from all others of all times, also from one with the same name that came before. Set by the server.",
    },
  },
  [`${meta}.OwnerReference`]: {
    description: "OwnerReference names an object that another one exists for, in the same namespace or without one.",
    fields: {
      apiVersion: "The group and version of the owner.",
      blockOwnerDeletion: "Whether an owner that is deleted in the foreground waits for this object to go first.",
      controller: "Whether the owner is the one that manages this object.",
      kind: "The kind of the owner.",
      name: "The name of the owner.",
      uid: "The uid of the owner.",
    },
  },
};

/** Adds descriptions to the metadata schemas. */
export function describeMetadata<T extends Fields>(schemas: T): T {
  const described = Object.entries(texts).flatMap(([name, text]) => {
    const schema = schemas[name] as Fields | undefined;
    return schema === undefined ? [] : [[name, withTexts(schema, text)] as const];
  });
  return { ...schemas, ...Object.fromEntries(described) };
}

function withTexts(schema: Fields, { description, fields }: Texts): Json {
  const properties = Object.entries((schema["properties"] ?? {}) as Fields).map(([name, property]) => {
    const text = fields[name];
    return [name, text === undefined ? property : { description: text, ...(property as Fields) }] as const;
  });
  return { description, ...schema, properties: Object.fromEntries(properties) } as Json;
}
