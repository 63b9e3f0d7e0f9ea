/** The catalogs that a ClusterExtension may be installed from. */
import { fromLabelSelectorObject, matchesLabels, quote } from "@capstan/model";
import { catalogKey } from "../../catalog-source/store.ts";
import type { CatalogStore } from "../../catalog-source/store.ts";
import type { ClusterCatalog } from "../../kinds/cluster-catalog.ts";
import type { ClusterExtension } from "../../kinds/cluster-extension.ts";
import type { SelectedCatalog } from "../resolve-extension.ts";

/** Whether the selector of an extension matches a catalog. Without a selector, it matches every one. */
export function isSelected({ spec }: ClusterExtension, { metadata }: ClusterCatalog): boolean {
  const selector = spec.source.catalog?.selector;
  return selector === undefined || matchesLabels(fromLabelSelectorObject(selector), metadata.labels);
}

/** The catalogs that match and that are switched on, by name. */
export function selectedCatalogs(
  extension: ClusterExtension,
  catalogs: readonly ClusterCatalog[],
  store: CatalogStore,
): readonly SelectedCatalog[] {
  return catalogs
    .filter((each) => each.spec.availabilityMode !== "Unavailable" && isSelected(extension, each))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .map(({ metadata, spec }): SelectedCatalog => {
      const { name } = metadata;
      const priority = spec.priority ?? 0;
      const content = store.get(catalogKey(metadata))?.content;
      if (content === undefined)
        return { name, priority, state: "failed", error: `cache for catalog ${quote(name)} not found` };
      return { name, priority, state: "ready", catalog: content.catalog };
    });
}
