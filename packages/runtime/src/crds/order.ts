/**
 * Distinguishes an earlier definition of a CRD from a later one: by the versions of the operators, or by the definitions that were
 * replaced before. Pure.
 */
import type { CustomResourceDefinition as Crd } from "@capstan/schema";
import { sha256 } from "../apply/digest.ts";
import { compareVersions, isVersion } from "./version.ts";

/** The annotations of a CRD about the operators that applied it. */
export interface DefinitionHistory {
  /** The version of the operator that applied it last, if it had one. */
  readonly version: string | undefined;
  /** A digest of the operator's definition. */
  readonly definition: string;
  /** Digests of definitions that were replaced, the latest last. */
  readonly replaced: readonly string[];
}

/** Whether a definition may replace another one, and the annotations of the CRD afterwards. */
export type Precedence =
  | { readonly is: "later"; readonly lineage: DefinitionHistory }
  /** The CRD in the cluster was applied by a later version, or has replaced this definition before. */
  | { readonly is: "earlier"; readonly because: string };

const VERSION = "capstan.dev/operator-version";
const DEFINITION = "capstan.dev/definition";
const REPLACED = "capstan.dev/replaced-definitions";

/** More than a rollback skips, and far below the limit for annotations. */
const KEPT = 50;

/** The digest that identifies a definition. */
export function digestOf(crd: Crd): string {
  return sha256(JSON.stringify(crd.spec), "hex").slice(0, 16);
}

/** The lineage in the annotations of a CRD; undefined if there is none. */
export function definitionHistoryOf(
  annotations: { readonly [name: string]: string } = {},
): DefinitionHistory | undefined {
  const { [DEFINITION]: definition, [VERSION]: version = "", [REPLACED]: replaced = "" } = annotations;
  if (definition === undefined) return undefined;
  const known = replaced.split(" ").filter((digest) => digest !== "");
  return { version: isVersion(version) ? version : undefined, definition, replaced: known };
}

/** The annotations for a lineage. */
export function annotationsOf({ version, definition, replaced }: DefinitionHistory): {
  readonly [name: string]: string;
} {
  return {
    [DEFINITION]: definition,
    ...(version === undefined ? {} : { [VERSION]: version }),
    ...(replaced.length === 0 ? {} : { [REPLACED]: replaced.join(" ") }),
  };
}

/**
 * Decides whether our definition may replace the existing one. If both have a version, the versions decide; otherwise a definition that
 * was replaced before is the earlier one, and an unknown one is the later one.
 */
export function precedenceOf(
  ours: Pick<DefinitionHistory, "version" | "definition">,
  found: DefinitionHistory | undefined,
): Precedence {
  if (found === undefined) return { is: "later", lineage: { ...ours, replaced: [] } };
  const order = orderOf(ours.version, found.version);
  if (ours.definition === found.definition) {
    const version = order < 0 ? found.version : (ours.version ?? found.version);
    return { is: "later", lineage: { ...found, version } };
  }
  if (order < 0) return { is: "earlier", because: `version ${found.version} of the operator has applied it` };
  if (order === 0 && found.replaced.includes(ours.definition))
    return { is: "earlier", because: "it has taken the place of the definition that this operator has" };
  return replacing(ours, found);
}

/** The lineage after our definition replaces any other. */
export function replacing(
  ours: Pick<DefinitionHistory, "version" | "definition">,
  found: DefinitionHistory | undefined,
): Precedence {
  const others = [...(found?.replaced ?? []), ...(found === undefined ? [] : [found.definition])];
  const replaced = [...new Set(others)].filter((digest) => digest !== ours.definition).slice(-KEPT);
  return { is: "later", lineage: { ...ours, replaced } };
}

function orderOf(ours: string | undefined, theirs: string | undefined): number {
  return ours === undefined || theirs === undefined ? 0 : compareVersions(ours, theirs);
}
