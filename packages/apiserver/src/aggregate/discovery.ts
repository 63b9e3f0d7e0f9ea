/** The resources of another server in the format of aggregated discovery. */
import type { Json } from "@capstan/model";
import type { RemoteVersion } from "./aggregation.ts";

interface RemoteResource {
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced?: boolean;
  readonly kind?: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** Converts an APIResourceList, which lists subresources next to resources, to the nested form. */
export function remoteResources({ group, version, resources: document }: RemoteVersion): Json[] {
  const all = (document as { readonly resources?: readonly RemoteResource[] } | undefined)?.resources ?? [];
  const kindOf = (one: RemoteResource): Json => ({
    group: one.group ?? group,
    version: one.version ?? version,
    kind: one.kind ?? "",
  });
  return all
    .filter(({ name }) => !name.includes("/"))
    .map((one) => {
      const inside = all.filter(({ name }) => name.startsWith(`${one.name}/`));
      return {
        resource: one.name,
        responseKind: kindOf(one),
        scope: one.namespaced === true ? "Namespaced" : "Cluster",
        singularResource: one.singularName ?? "",
        verbs: one.verbs ?? [],
        ...(one.shortNames === undefined ? {} : { shortNames: one.shortNames }),
        ...(one.categories === undefined ? {} : { categories: one.categories }),
        ...(inside.length === 0
          ? {}
          : {
              subresources: inside.map((sub) => ({
                subresource: sub.name.slice(one.name.length + 1),
                responseKind: kindOf(sub),
                verbs: sub.verbs ?? [],
              })),
            }),
      };
    });
}
