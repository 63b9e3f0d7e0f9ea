/** The CRDs of version v1 among the manifests of real bundles, and what a real kube-apiserver answered to each. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readYamlDocuments } from "../../src/index.ts";
import { filesBelow, hubBundles } from "./questions.ts";

/** A CRD as it is written. */
export interface HubDefinition {
  /** The bundle, the file and the position of the document in it. */
  readonly name: string;
  readonly text: string;
  /** The hash of the text: an answer holds for this text only. */
  readonly hash: string;
}

/** The release and its errors to each CRD; a CRD without errors is accepted. */
export interface DefinitionAnswers {
  readonly kubernetes: string;
  readonly answers: readonly (readonly [name: string, hash: string, errors: readonly string[]])[];
}

/** Where the answers are. */
export const definitionAnswers: URL = new URL("../fixtures/generated/definitions.json", import.meta.url);

/** The recorded answers. */
export function readDefinitionAnswers(): DefinitionAnswers {
  return JSON.parse(readFileSync(definitionAnswers, "utf8")) as DefinitionAnswers;
}

/** Every CRD of version v1 in the folder of manifests of a real bundle. */
export function hubDefinitions(): HubDefinition[] {
  return hubBundles().flatMap(({ name, dir }) =>
    filesBelow(dir)
      .filter(([path]) => /^manifests\/[^/]+\.ya?ml$/.test(path))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([path, bytes]) =>
        new TextDecoder()
          .decode(bytes)
          .split(/^---[ \t]*$/m)
          .flatMap((text, at) => (isDefinition(text) ? [asWritten(`${name}/${path}#${at}`, text)] : [])),
      ),
  );
}

/** The two fields are at the beginning of a line in every manifest, even where the rest is not YAML. */
function isDefinition(text: string): boolean {
  const field = (key: string, value: string): boolean =>
    new RegExp(`^["']?${key}["']?: +["']?${value}["']? *\\r?$`, "m").test(text);
  return field("kind", "CustomResourceDefinition") && field("apiVersion", "apiextensions\\.k8s\\.io/v1");
}

function asWritten(name: string, text: string): HubDefinition {
  return { name, text, hash: createHash("sha256").update(text).digest("hex").slice(0, 16) };
}

/** The value of the first document, or what keeps the text from being read. */
export function valueOf(text: string): unknown {
  const [document] = readYamlDocuments(text);
  if (document?.errors[0] !== undefined) throw document.errors[0];
  return document?.toJS();
}
