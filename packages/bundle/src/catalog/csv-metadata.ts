/** The property `olm.csv.metadata`: what a catalog keeps of a ClusterServiceVersion, and the way back. */
import type { Json } from "@capstan/model";
import { csvType } from "../decode/csv-type.ts";
import type { GoType } from "../decode/go-type.ts";
import { isObject, type JsonObject } from "../decode/json.ts";
import { struct } from "./blobs.ts";
import { toGoValue } from "./go-value.ts";
import type { CatalogBundle, CatalogPackage } from "./model.ts";

const spec = csvType.fields.find(({ json }) => json === "spec")?.type();

function specField(json: string): GoType {
  const field = spec?.kind === "struct" ? spec.fields.find((one) => one.json === json) : undefined;
  if (field === undefined) throw new TypeError(`a ClusterServiceVersion has no field spec.${json}`);
  return field.type();
}

const specType: GoType = spec ?? { kind: "raw" };

const textMap: GoType = { kind: "map", of: () => ({ kind: "string", name: "string" }) };

/** The fields of the property in their order, with the field of the spec that each one comes from. */
const fields: { readonly [json: string]: string | undefined } = {
  annotations: undefined,
  apiServiceDefinitions: "apiservicedefinitions",
  crdDescriptions: "customresourcedefinitions",
  description: "description",
  displayName: "displayName",
  installModes: "installModes",
  keywords: "keywords",
  labels: undefined,
  links: "links",
  maintainers: "maintainers",
  maturity: "maturity",
  minKubeVersion: "minKubeVersion",
  nativeAPIs: "nativeAPIs",
  provider: "provider",
};

const metadataType = struct(
  "property.CSVMetadata",
  Object.fromEntries(
    Object.entries(fields).map(([json, from]) => [json, from === undefined ? textMap : specField(from)]),
  ),
);

/** The property's value from a decoded ClusterServiceVersion. */
export function toCsvMetadata(csv: JsonObject): Json {
  const from = { metadata: objectAt(csv, "metadata"), spec: objectAt(csv, "spec") };
  const values = Object.entries(fields).flatMap(([json, field]): [string, Json][] => {
    const value = field === undefined ? from.metadata[json] : from.spec[field];
    return value === undefined ? [] : [[json, value]];
  });
  return toGoValue(Object.fromEntries(values), metadataType);
}

function objectAt(value: JsonObject, key: string): JsonObject {
  const found = value[key];
  return isObject(found) ? found : {};
}

/** What a ClusterServiceVersion is made from. */
export interface CsvSource {
  readonly metadata: JsonObject;
  readonly package: CatalogPackage;
  readonly bundle: CatalogBundle;
}

/** A ClusterServiceVersion for display from the property. It has no deployments and cannot be installed. */
export function toCsv({ metadata, package: of, bundle }: CsvSource): Json {
  const described = Object.fromEntries(
    Object.entries(fields).flatMap(([json, from]): [string, Json][] => {
      const value = metadata[json];
      return from === undefined || value === undefined ? [] : [[from, value]];
    }),
  );
  const { labels, annotations } = metadata;
  const spec: JsonObject = {
    ...described,
    install: { strategy: "deployment" },
    version: bundle.version,
    ...(of.icon === undefined ? {} : { icon: [{ base64data: of.icon.data, mediatype: of.icon.mediaType }] }),
    ...(described["description"] === undefined && of.description !== undefined ? { description: of.description } : {}),
    relatedImages: bundle.relatedImages.map(({ name, image }) => ({ name, image })),
  };
  return {
    kind: "ClusterServiceVersion",
    apiVersion: "operators.coreos.com/v1alpha1",
    metadata: {
      name: bundle.name,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: toGoValue(spec, specType),
    status: { cleanup: {} },
  };
}
