/** What is served: groups in the server's order with their resources, subresources and table columns. */
import type { ApiResource, Documents, Fields, GroupVersionDocument, Value } from "./documents.ts";

/** The facts about all groups and versions, in the form in which `src/discovery.ts` describes them. */
export function collectDiscovery(documents: Documents): Value {
  return documents.groupVersions.map((groupVersion) => ({
    group: groupVersion.group,
    version: groupVersion.version,
    resources: resourcesOf(groupVersion, documents),
  })) as unknown as Value;
}

function resourcesOf({ group, version, resources }: GroupVersionDocument, documents: Documents): Fields[] {
  const main = resources.filter(({ name }) => !name.includes("/"));
  return main.map((resource): Fields => {
    const { name, singularName, namespaced, ...facts } = resource;
    const below = resources.filter((candidate) => candidate.name.startsWith(`${name}/`));
    const columns = documents.columns[`${group}/${version}/${name}`];
    return {
      name,
      singular: singularName,
      scope: namespaced ? "Namespaced" : "Cluster",
      ...facts,
      ...(below.length === 0 ? {} : { subresources: below.map((each) => subresource(each, name)) }),
      ...(columns === undefined ? {} : { columns }),
    };
  });
}

function subresource(resource: ApiResource, parent: string): Fields {
  const { name, singularName: _singular, namespaced: _namespaced, ...facts } = resource;
  return { name: name.slice(parent.length + 1), ...facts };
}
