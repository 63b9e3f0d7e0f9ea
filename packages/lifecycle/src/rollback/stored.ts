/** Whether a CRD can replace the live one without harm to what is stored: a verdict on every stored object. */
import type { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import type { Json, Kind, KubeObject } from "@capstan/model";
import { prune, readSchema } from "@capstan/schema";
import type { Cluster } from "../cluster/cluster.ts";
import { schemaErrors } from "../install-plan/stored-objects.ts";

/** The verdict on one stored object. */
export interface ObjectVerdict {
  readonly object: string;
  readonly verdict: "fits" | "loses" | "invalid";
  /** The fields that it loses, or what is invalid. */
  readonly detail: string;
}

/** The verdict on a CRD. Without refusals it can be replaced. */
export interface StoredVerdict {
  readonly crd: string;
  readonly objects: readonly ObjectVerdict[];
  readonly refusals: readonly string[];
}

/** Judges every stored object of a CRD by another form of it. */
export async function judgeStored(
  live: CustomResourceDefinition,
  next: CustomResourceDefinition,
  { cluster }: { readonly cluster: Pick<Cluster, "list"> },
): Promise<StoredVerdict> {
  const crd = live.metadata.name;
  const versions = new Set(next.spec.versions.map(({ name }) => name));
  const lost = (live.status?.storedVersions ?? []).filter((version) => !versions.has(version));
  const stored = lost.map(
    (version) => `objects of ${crd} are stored in the version ${version}, which the other CRD does not have`,
  );
  const served = live.spec.versions.find((each) => each.served && versions.has(each.name));
  if (served === undefined) return { crd, objects: [], refusals: stored };
  const schema = next.spec.versions.find(({ name }) => name === served.name)?.schema?.openAPIV3Schema;
  const objects = await cluster.list<KubeObject>(kindOf(live, served.name));
  const verdicts = objects.map((object) => judgeObject(object, schema));
  const refused = verdicts
    .filter(({ verdict }) => verdict !== "fits")
    .map(({ object, verdict, detail }) =>
      verdict === "loses" ? `${object} would lose ${detail}` : `${object} would be invalid: ${detail}`,
    );
  return { crd, objects: verdicts, refusals: [...stored, ...refused] };
}

function kindOf({ spec }: CustomResourceDefinition, version: string): Kind {
  const { group, names, scope } = spec;
  return { group, version, kind: names.kind, plural: names.plural, scope: scope as Kind["scope"] };
}

function judgeObject(object: KubeObject, schema: unknown): ObjectVerdict {
  const place = [object.metadata.namespace, object.metadata.name].filter(Boolean).join("/");
  const name = `${object.kind} ${place}`;
  const invalid = schemaErrors(schema, object);
  if (invalid !== undefined) return { object: name, verdict: "invalid", detail: invalid };
  // Schemas and objects come from a server, so they are JSON.
  const { unknown } = prune(object as unknown as Json, readSchema(schema as Json), true);
  if (unknown.length === 0) return { object: name, verdict: "fits", detail: "" };
  return { object: name, verdict: "loses", detail: unknown.join(", ") };
}
