/** The conditions of a ClusterExtension, from what is installed, what was resolved, and how far the roll-out is. */
import type { CatalogPackage } from "@capstan/bundle";
import { byteLength, quote } from "@capstan/model";
import type { ExtensionRequest, InstalledBundle } from "./resolve-extension.ts";

/** A condition without its times, which the writer of the status adds. */
export interface ConditionDraft {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** How far the extension is. A blocked one stays as it is until its spec or its bundle changes. */
export type Progress =
  | { readonly type: "reached" }
  | { readonly type: "rolling-out"; readonly message: string }
  | { readonly type: "retrying"; readonly message: string }
  | {
      readonly type: "blocked";
      readonly message: string;
      readonly reason?: "InvalidConfiguration" | "ProgressDeadlineExceeded";
    };

/** The condition Progressing. */
export function progressing(progress: Progress): ConditionDraft {
  const type = "Progressing";
  switch (progress.type) {
    case "reached":
      return { type, status: "True", reason: "Succeeded", message: "Desired state reached" };
    case "rolling-out":
      return { type, status: "True", reason: "RollingOut", message: truncate(progress.message) };
    case "retrying":
      return { type, status: "True", reason: "Retrying", message: truncate(progress.message) };
    case "blocked":
      return { type, status: "False", reason: progress.reason ?? "Blocked", message: truncate(progress.message) };
  }
}

/** What runs: a bundle, nothing yet, or something that cannot be read. */
export type InstallState =
  | { readonly type: "installed"; readonly image: string }
  | { readonly type: "absent"; readonly isRollingOut: boolean }
  | { readonly type: "unknown"; readonly message: string };

/** The condition Installed. A first roll-out without errors is Absent, not Failed. */
export function installed(state: InstallState): ConditionDraft {
  const type = "Installed";
  switch (state.type) {
    case "installed":
      return { type, status: "True", reason: "Succeeded", message: `Installed bundle ${state.image} successfully` };
    case "absent":
      return {
        type,
        status: "False",
        reason: state.isRollingOut ? "Absent" : "Failed",
        message: "No bundle installed",
      };
    case "unknown":
      return { type, status: "Unknown", reason: "Failed", message: truncate(state.message) };
  }
}

/** The message of an error that concerns a resolved bundle. */
export function aboutBundle({ name, version }: InstalledBundle, message: string): string {
  return `error for resolved bundle ${quote(name)} with version ${quote(version)}: ${message}`;
}

interface DeprecationQuestion {
  readonly request: ExtensionRequest;
  /** The package of the catalog that was resolved from; none if no catalog has an answer. */
  readonly from?: CatalogPackage;
  /** The name of the installed bundle: its deprecation counts, not that of the resolved one. */
  readonly installed?: string;
}

/** The four conditions about deprecations. They are always there. */
export function deprecations({ request, from, installed: name }: DeprecationQuestion): ConditionDraft[] {
  const absent = { status: "Unknown", reason: "Absent", message: "no bundle installed yet" } as const;
  const unknown = {
    status: "Unknown",
    reason: "DeprecationStatusUnknown",
    message: "deprecation status unknown: catalog data unavailable",
  } as const;
  const bundle = { type: "BundleDeprecated" };
  if (from === undefined)
    return [
      ...["Deprecated", "PackageDeprecated", "ChannelDeprecated"].map((type) => ({ type, ...unknown })),
      { ...bundle, ...(name === undefined ? absent : unknown) },
    ];
  const messages = messagesOf(from, request, name);
  return [
    verdict("Deprecated", [...messages.package, ...messages.channel, ...messages.bundle], "not deprecated"),
    verdict("PackageDeprecated", messages.package, "package not deprecated"),
    verdict("ChannelDeprecated", messages.channel, "channel not deprecated"),
    name === undefined
      ? { ...bundle, ...absent }
      : verdict("BundleDeprecated", messages.bundle, "bundle not deprecated"),
  ];
}

interface Messages {
  readonly package: readonly string[];
  readonly channel: readonly string[];
  readonly bundle: readonly string[];
}

/** Without channels in the spec, every channel can be selected, so the deprecation of each one counts. */
function messagesOf(from: CatalogPackage, { channels = [] }: ExtensionRequest, name: string | undefined): Messages {
  const counted = [...from.channels.values()].filter((one) => channels.length === 0 || channels.includes(one.name));
  const text = (message: string | undefined): string[] => (message === undefined || message === "" ? [] : [message]);
  return {
    package: text(from.deprecation),
    channel: counted.flatMap(({ deprecation }) => text(deprecation)),
    bundle: name === undefined ? [] : text(from.bundles.get(name)?.deprecation),
  };
}

function verdict(type: string, messages: readonly string[], otherwise: string): ConditionDraft {
  if (messages.length === 0) return { type, status: "False", reason: "NotDeprecated", message: otherwise };
  return { type, status: "True", reason: "Deprecated", message: truncate(messages.join("\n")) };
}

const maxBytes = 32_768;
const suffix = "\n\n... [message truncated]";

/** Kubernetes rejects conditions with a longer message. */
function truncate(message: string): string {
  if (byteLength(message) <= maxBytes) return message;
  const bytes = new TextEncoder().encode(message).slice(0, maxBytes - suffix.length);
  // A character that is cut in two is left out.
  return new TextDecoder().decode(bytes, { stream: true }) + suffix;
}

interface FailureQuestion {
  readonly request: ExtensionRequest;
  readonly installed?: InstalledBundle;
  /** Whether a ClusterCatalog exists that the selector matches. */
  readonly catalogsExist: boolean;
  readonly message: string;
}

/** What follows from a failed resolution: without catalogs the installed bundle is kept as it is, otherwise it is tried again. */
export function afterFailedResolution({
  request: { version = "" },
  installed: current,
  catalogsExist,
  message,
}: FailureQuestion): { readonly type: "keep" } | Extract<Progress, { type: "retrying" }> {
  const isPinnedElsewhere = current !== undefined && version !== "" && version !== current.version;
  if (current !== undefined && !isPinnedElsewhere && !catalogsExist) return { type: "keep" };
  return { type: "retrying", message };
}
