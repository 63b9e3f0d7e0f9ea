/** Reads the objects of metering-operator from a cluster. */
import type { AnyKind, Client } from "@capstan/client";
import { isApiError } from "@capstan/client";
import { type ClassicObjects, addClassicObjects } from "@capstan/metering";

function classicKind(kind: string, plural: string): AnyKind {
  return { group: "metering.openshift.io", version: "v1", kind, plural, scope: "Namespaced" };
}

const kinds: readonly AnyKind[] = [
  classicKind("Report", "reports"),
  classicKind("ReportQuery", "reportqueries"),
  classicKind("ReportDataSource", "reportdatasources"),
  classicKind("PrestoTable", "prestotables"),
];

/** Objects of a list may come without their kind. */
function asSent(object: object, { group, version, kind }: AnyKind): object {
  return Object.assign({ apiVersion: `${group}/${version}`, kind }, object);
}

/** Adds all objects of the cluster; a kind that the cluster does not have has none. */
export async function addClusterObjects(objects: ClassicObjects, client: Client): Promise<void> {
  for (const kind of kinds) {
    try {
      for await (const object of client.list(kind, {}))
        addClassicObjects(objects, JSON.stringify(asSent(object, kind)), "cluster");
    } catch (error) {
      if (!isApiError(error, "NotFound", "UnknownKind")) throw error;
    }
  }
}
