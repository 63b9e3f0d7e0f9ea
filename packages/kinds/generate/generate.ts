/** Turns the documents of a server and the Go modules into the files under `src/generated`. */
import { collectDiscovery } from "./discovery.ts";
import type { Documents } from "./documents.ts";
import { placeDefinitions } from "./naming.ts";
import { collectDefinitions, internDocuments } from "./openapi.ts";
import { type ProtoPackage, writeProtobufTable } from "./protos.ts";
import { type ShapeKind, type World, writeShapes } from "./shapes.ts";
import { moduleOf, writeValues } from "./values.ts";

/** The text of each file, by its path below `src/generated`. */
export type Files = Readonly<Record<string, string>>;

/** All generated files. */
export function generate(documents: Documents, protos: readonly ProtoPackage[]): Files {
  const definitions = collectDefinitions(documents);
  return {
    ...writeModules(documents, definitions),
    ...factFile("definitions", rows(definitions)),
    ...factFile("discovery", JSON.stringify(collectDiscovery(documents), null, 0)),
    ...factFile("openapi", internDocuments(documents)),
    ...factFile("protobuf", writeProtobufTable(protos, protoPackages(placeDefinitions(documents, definitions)))),
  };
}

/** One line per definition, so that a diff between two releases is readable. */
function rows(definitions: Readonly<Record<string, object>>): string {
  const lines = Object.entries(definitions).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{\n${lines.join(",\n")}\n}`;
}

function factFile(name: string, text: string): Files {
  return { [`facts/${name}.json`]: `${text}\n` };
}

function writeModules(documents: Documents, definitions: World["definitions"]): Files {
  const places = placeDefinitions(documents, definitions);
  const world: World = { definitions, places, kinds: findKinds(documents, definitions, places) };
  const files: Record<string, string> = {};
  const modules = new Set([...places.values()].map(({ module }) => module));
  for (const module of [...modules].sort()) files[`shapes/${module}.ts`] = writeShapes(module, world);
  for (const document of documents.groupVersions) {
    const module = moduleOf(document);
    const known = new Set([...places.values()].filter((place) => place.module === module).map(({ name }) => name));
    files[`kinds/${module}.ts`] = writeValues(document, known);
  }
  files["kinds/meta/v1.ts"] = `export type * from "../../shapes/meta/v1.ts";\n`;
  return files;
}

/** The protobuf package of each group and version: the package of its definitions, in protobuf's notation. */
function protoPackages(places: World["places"]): Map<string, string> {
  const packages = new Map([
    ["apidiscovery.k8s.io/v2", "k8s.io.api.apidiscovery.v2"],
    ["apidiscovery.k8s.io/v2beta1", "k8s.io.api.apidiscovery.v2beta1"],
    ["meta.k8s.io/v1", "k8s.io.apimachinery.pkg.apis.meta.v1"],
  ]);
  for (const [definition, { module }] of places) {
    const pkg = definition
      .slice(0, definition.lastIndexOf("."))
      .replace(/^io\.k8s\./, "k8s.io.")
      .replaceAll("-", "_");
    if (module !== "meta/v1") packages.set(module, pkg);
  }
  return packages;
}

/** The definitions that are kinds of a group and version; a kind counts as stored if its resource can be read. */
function findKinds(documents: Documents, definitions: World["definitions"], places: World["places"]): World["kinds"] {
  const kinds = new Map<string, ShapeKind>();
  for (const { resources, ...groupVersion } of documents.groupVersions) {
    const module = moduleOf(groupVersion);
    const readable = new Set(resources.filter(({ verbs }) => verbs.includes("get")).map(({ kind }) => kind));
    for (const [definition, place] of places) {
      if (place.module !== module || definitions[definition]?.["x-kubernetes-group-version-kind"] === undefined)
        continue;
      kinds.set(definition, { apiVersion: module, kind: place.name, isStored: readable.has(place.name) });
    }
  }
  return kinds;
}
