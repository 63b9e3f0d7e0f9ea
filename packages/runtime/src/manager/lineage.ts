/** Tells an earlier definition of a CRD from a later one: by the versions of the operators, or by what was replaced before. Pure. */
import type { CustomResourceDefinition as Crd } from "@capstan/schema";
import { sha256 } from "../digest.ts";
import { compareVersions, isVersion } from "./version.ts";

/** What a CRD says about those who applied it. */
export interface Lineage {
  /** The version of the operator that applied it last, if it had one. */
  readonly version: string | undefined;
  /** A digest of the definition as the operator has it. */
  readonly definition: string;
  /** Digests of definitions that were replaced, the latest last. */
  readonly replaced: readonly string[];
}

/** Whether a definition may take the place of another one, and what the CRD says of itself afterwards. */
export type Verdict =
  | { readonly is: "later"; readonly lineage: Lineage }
  /** What the cluster has was applied by a later version, or has taken the place of this very definition. */
  | { readonly is: "earlier"; readonly because: string };

const VERSION = "capstan.dev/operator-version";
const DEFINITION = "capstan.dev/definition";
const REPLACED = "capstan.dev/replaced-definitions";

/** More than anybody rolls back over, and far less than annotations may hold. */
const KEPT = 50;

/** What tells this definition from others. */
export function digestOf(crd: Crd): string {
  return sha256(JSON.stringify(crd.spec), "hex").slice(0, 16);
}

/** What a CRD says; undefined where nobody wrote it down. */
export function lineageOf(annotations: { readonly [name: string]: string } = {}): Lineage | undefined {
  const { [DEFINITION]: definition, [VERSION]: version = "", [REPLACED]: replaced = "" } = annotations;
  if (definition === undefined) return undefined;
  const known = replaced.split(" ").filter((digest) => digest !== "");
  return { version: isVersion(version) ? version : undefined, definition, replaced: known };
}

/** The annotations that say it. */
export function annotationsOf({ version, definition, replaced }: Lineage): { readonly [name: string]: string } {
  return {
    [DEFINITION]: definition,
    ...(version === undefined ? {} : { [VERSION]: version }),
    ...(replaced.length === 0 ? {} : { [REPLACED]: replaced.join(" ") }),
  };
}

/**
 * Judges whether our definition may take the place of the one that is there. Where both have a version, the versions decide; where
 * they do not tell, a definition that was replaced before is the earlier one, and one that nobody has seen is the later one.
 */
export function judge(ours: Pick<Lineage, "version" | "definition">, found: Lineage | undefined): Verdict {
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

/** Lets our definition take the place of any other. */
export function replacing(ours: Pick<Lineage, "version" | "definition">, found: Lineage | undefined): Verdict {
  const others = [...(found?.replaced ?? []), ...(found === undefined ? [] : [found.definition])];
  const replaced = [...new Set(others)].filter((digest) => digest !== ours.definition).slice(-KEPT);
  return { is: "later", lineage: { ...ours, replaced } };
}

function orderOf(ours: string | undefined, theirs: string | undefined): number {
  return ours === undefined || theirs === undefined ? 0 : compareVersions(ours, theirs);
}
