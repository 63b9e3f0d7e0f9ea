/** All served resources by group and version. */
import type { ServedResource } from "./resource.ts";

/** Called when resources are added or removed; discovery and OpenAPI are then rebuilt. */
export type RegistryListener = () => void;

export interface GroupVersionResources {
  readonly group: string;
  readonly version: string;
  readonly resources: ReadonlyMap<string, ServedResource>;
}

/** Finds resources by their path. Built-in resources are always registered; custom ones are added and removed. */
export class Registry {
  readonly #versions = new Map<string, Map<string, ServedResource>>();
  readonly #listeners = new Set<RegistryListener>();
  #generation = 0;

  /** Increases with every change, so that derived values can be invalidated. */
  get generation(): number {
    return this.#generation;
  }

  find(group: string, version: string, resource: string): ServedResource | undefined {
    return this.#versions.get(`${group}/${version}`)?.get(resource);
  }

  hasGroup(group: string): boolean {
    for (const key of this.#versions.keys()) if (key.startsWith(`${group}/`)) return true;
    return false;
  }

  /** Whether a group contains only custom kinds. */
  isCustomGroup(group: string): boolean {
    for (const { group: own, resources } of this.groupVersions()) {
      if (own !== group) continue;
      for (const { isCustom } of resources.values()) if (!isCustom) return false;
    }
    return this.hasGroup(group);
  }

  /** Any version of the kind that is stored under a name; for reads by the server itself. */
  findStorage(storage: string): ServedResource | undefined {
    for (const resource of this.all()) if (resource.storage === storage) return resource;
    return undefined;
  }

  /** All group versions in the order of their registration. */
  *groupVersions(): Generator<GroupVersionResources> {
    for (const [key, resources] of this.#versions) {
      const slash = key.indexOf("/");
      yield { group: key.slice(0, slash), version: key.slice(slash + 1), resources };
    }
  }

  *all(): Generator<ServedResource> {
    for (const resources of this.#versions.values()) yield* resources.values();
  }

  add(...resources: readonly ServedResource[]): void {
    for (const resource of resources) {
      const key = `${resource.group}/${resource.version}`;
      let byName = this.#versions.get(key);
      if (byName === undefined) this.#versions.set(key, (byName = new Map()));
      byName.set(resource.resource, resource);
    }
    this.#changed();
  }

  remove(...resources: readonly Pick<ServedResource, "group" | "version" | "resource">[]): void {
    for (const { group, version, resource } of resources) {
      const key = `${group}/${version}`;
      const byName = this.#versions.get(key);
      byName?.delete(resource);
      if (byName?.size === 0) this.#versions.delete(key);
    }
    this.#changed();
  }

  onChange(listener: RegistryListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    this.#generation++;
    for (const listener of this.#listeners) listener();
  }
}
