/** What of a spec holds: settings by class, and what the application refuses. */
import { createHash } from "node:crypto";
import type { Application } from "../application.ts";
import type { ClusterObject } from "../cluster/resource.ts";

/** The adapter, as far as a spec is concerned. */
interface Adapter<C extends AsyncDisposable, P> {
  readonly application: Pick<Application<C, P>, "settings" | "versions" | "name">;
}

/** Settings of the spec that are changed while members run. */
export function liveSettingsOf<C extends AsyncDisposable, P>(
  { spec }: ClusterObject,
  { application }: Adapter<C, P>,
): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(spec.settings).filter(([name]) => application.settings.classOf(name) === "live"),
  );
}

/** Whether the data of the running version can be used by the version of the spec. */
export function canUpdate<C extends AsyncDisposable, P>(
  { spec, status }: ClusterObject,
  { application }: Adapter<C, P>,
): boolean {
  return status?.version === undefined || application.versions.canGo(status.version, spec.version);
}

/** What the spec cannot have, each as a sentence with what to do. */
export function refusedParts<C extends AsyncDisposable, P>(
  object: ClusterObject,
  adapter: Adapter<C, P>,
): readonly string[] {
  const { spec, status } = object;
  const owned = Object.keys(spec.settings).filter((name) => adapter.application.settings.classOf(name) === "operator");
  const settings = owned.map((name) => `the operator owns the setting ${name}: remove it from spec.settings`);
  const version = `${adapter.application.name} ${spec.version} cannot use the data of ${status?.version}: set spec.version back, or restore a backup into a new cluster`;
  return canUpdate(object, adapter) ? settings : [...settings, version];
}

/** A short name for a value. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
