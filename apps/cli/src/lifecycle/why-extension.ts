/** Explains a ClusterExtension: what it asks for, which catalogs count, and what keeps it from its version. */
import { ClusterCatalog, ClusterExtension, type Explanation } from "@capstan/lifecycle";
import type { Connected } from "./options.ts";

/** The explanation of a ClusterExtension by its name or its package; undefined without one. */
export async function whyExtension({ cluster }: Connected, name: string): Promise<Explanation | undefined> {
  const all = await cluster.list(ClusterExtension);
  const found =
    all.find(({ metadata }) => metadata.name === name) ??
    all.find(({ spec, status }) => spec.source.catalog?.packageName === name || status?.install?.bundle.name === name);
  return found === undefined ? undefined : explainExtension(found, await cluster.list(ClusterCatalog));
}

/** The explanation. */
export function explainExtension(extension: ClusterExtension, catalogs: readonly ClusterCatalog[]): Explanation {
  const { metadata, status } = extension;
  const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
  const waits = progressing === undefined || progressing.reason === "Succeeded" ? undefined : progressing.message;
  const facts = [...wants(extension), ...catalogs.map(describeCatalog)];
  const reasons = waits === undefined ? facts : [...facts, waits];
  const remedies = waits === undefined ? [] : remediesFor(progressing?.reason ?? "", metadata.name);
  const { bundle } = status?.install ?? {};
  if (bundle !== undefined) {
    const at = `${bundle.name} (${bundle.version}) is installed for the ClusterExtension ${metadata.name}`;
    const summary = waits === undefined ? `${at}.` : `${at}, and it is not at its target.`;
    return { verdict: "chosen", summary, reasons, remedies };
  }
  const verdict = progressing === undefined ? "unknown" : "impossible";
  const why = waits ?? "nothing has reconciled it yet: is `capstan lifecycle run` running";
  return {
    verdict,
    summary: `The ClusterExtension ${metadata.name} has installed nothing: ${why}.`,
    reasons,
    remedies,
  };
}

function wants({ metadata, spec }: ClusterExtension): readonly string[] {
  const { packageName = "", version, channels = [], upgradeConstraintPolicy } = spec.source.catalog ?? {};
  const range = version === undefined ? "in any version" : `in the version range ${version}`;
  const from = channels.length === 0 ? "of any channel" : `of the channel ${channels.join(" or ")}`;
  const policy =
    upgradeConstraintPolicy === "SelfCertified"
      ? ["Any version may follow any other one, because its policy is SelfCertified."]
      : ["Only a version that the catalog calls a successor follows the installed one."];
  return [`The ClusterExtension ${metadata.name} asks for the package ${packageName} ${range}, ${from}.`, ...policy];
}

function describeCatalog({ metadata, spec, status }: ClusterCatalog): string {
  const serving = status?.conditions?.find(({ type }) => type === "Serving");
  const priority = `the priority is ${spec.priority ?? 0}`;
  if (spec.availabilityMode === "Unavailable") return `The ClusterCatalog ${metadata.name} is switched off.`;
  if (serving?.status === "True") return `The ClusterCatalog ${metadata.name} is served; ${priority}.`;
  return `The ClusterCatalog ${metadata.name} is not served: ${serving?.message ?? "it has not been read yet"}.`;
}

function remediesFor(reason: string, name: string): readonly string[] {
  switch (reason) {
    case "InvalidConfiguration":
      return [`Correct spec.config of the ClusterExtension ${name}; the message names the field.`];
    case "Blocked":
      return [
        "Correct what the message names; nothing is tried again until the ClusterExtension or a catalog changes.",
      ];
    case "ProgressDeadlineExceeded":
      return [`Ask for another version in spec.source.catalog.version, or run capstan lifecycle rollback ${name}.`];
    default:
      return [];
  }
}
