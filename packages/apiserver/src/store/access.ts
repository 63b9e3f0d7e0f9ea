/** Direct reads and writes of the server itself. */
import { apiErrors, cloneJson, type KubeObject } from "@capstan/model";
import type { Lookup, ResourceName, Writer } from "../builtin/context.ts";
import type { Registry } from "../resources/registry.ts";
import { storageKey, type ServedResource } from "../resources/resource.ts";
import type { Store } from "./store.ts";

/** Reads the current state. */
export function storeLookup(store: Store): Lookup {
  return {
    get: (resource, name, namespace) =>
      store.get(resource, namespace === undefined || namespace === "" ? name : `${namespace}/${name}`)?.object,
    list: (resource, namespace) =>
      store
        .collection(resource)
        .withPrefix(namespace === undefined || namespace === "" ? "" : `${namespace}/`)
        .map((entry) => entry.object),
  };
}

/** Writes without admission and validation. Objects are brought into their stored form and get a resourceVersion. */
export function storeWriter(store: Store, registry: Registry): Writer {
  const servedAs = (name: ResourceName): ServedResource => {
    const found = registry.findStorage(name);
    if (found === undefined) throw apiErrors.internalError(`no resource ${name} is served`);
    return found;
  };
  const keyOf = (resource: ServedResource, { metadata }: KubeObject): string =>
    storageKey(resource, metadata.namespace ?? "", metadata.name ?? "");
  const put = (resource: ServedResource, object: KubeObject): KubeObject => {
    // A placeholder that keeps the position of the field; the write sets the real resourceVersion.
    const versioned = { ...object, metadata: { ...object.metadata, resourceVersion: "0" } };
    const draft = resource.stored.decode(cloneJson(versioned) as never, undefined);
    return store.put(resource.storage, keyOf(resource, object), draft).object;
  };
  return {
    create(name, object) {
      const resource = servedAs(name);
      if (store.get(name, keyOf(resource, object)) !== undefined) {
        throw apiErrors.alreadyExists(resource.qualified, object.metadata.name ?? "");
      }
      return put(resource, object);
    },
    update(name, object) {
      const resource = servedAs(name);
      const existing = store.get(name, keyOf(resource, object));
      if (existing === undefined) throw apiErrors.notFound(resource.qualified, object.metadata.name ?? "");
      if (existing.object.metadata.resourceVersion !== object.metadata.resourceVersion) {
        const why = "the object has been modified; please apply your changes to the latest version and try again";
        throw apiErrors.conflict(resource.qualified, object.metadata.name ?? "", why);
      }
      return put(resource, object);
    },
    delete(name, objectName, namespace = "") {
      const resource = servedAs(name);
      const entry = store.get(name, storageKey(resource, namespace, objectName));
      if (entry === undefined) throw apiErrors.notFound(resource.qualified, objectName);
      store.remove(name, entry);
    },
    own(name, object, { time, subresource }) {
      const resource = servedAs(name);
      const { fieldManager } =
        (subresource === undefined ? undefined : resource.subresources.get(subresource)) ?? resource;
      const before = store.get(name, keyOf(resource, object))?.object;
      const draft = cloneJson(object);
      return fieldManager?.update(before, draft, { manager: "kube-apiserver", time }) ?? draft;
    },
  };
}
