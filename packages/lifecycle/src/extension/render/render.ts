/** Turns a bundle into the plain objects of a revision, for the namespaces that its operator watches. */
import type { Manifest } from "../../csv/permissions.ts";
import type { SubscriptionConfig } from "../../kinds/subscription.ts";
import { ExtensionError } from "../errors.ts";
import { type RegistryBundle, supportedModes } from "./bundle.ts";
import type { CertificateProvider } from "./certificate.ts";
import { readBundleConfig } from "./config.ts";
import { plainObjects } from "./objects.ts";
import { bundleProblems } from "./validate.ts";
import { webhookObjects } from "./webhooks.ts";

/** A bundle with everything that its objects depend on. */
export interface Rendering {
  readonly bundle: RegistryBundle;
  /** The namespace of the operator. */
  readonly namespace: string;
  /** The namespaces that it watches; one empty name stands for all. */
  readonly targets: readonly string[];
  readonly certificates: CertificateProvider;
  readonly deploymentConfig?: SubscriptionConfig | undefined;
}

/** What is asked for. */
export interface RenderQuestion {
  readonly bundle: RegistryBundle;
  readonly namespace: string;
  readonly inline: { readonly [field: string]: unknown } | undefined;
  /** None: webhooks cannot be installed. */
  readonly certificates: CertificateProvider | undefined;
}

const noCertificates: CertificateProvider = { inject: (object) => object, objects: () => [] };

/** The objects of a bundle. */
export function renderBundle({ bundle, namespace, inline, certificates }: RenderQuestion): readonly Manifest[] {
  const { spec } = bundle.csv;
  if ((spec.apiservicedefinitions?.owned ?? []).length > 0)
    throw invalid("unsupported bundle: apiServiceDefintions are not supported");
  if ((spec.webhookdefinitions ?? []).length > 0 && certificates === undefined)
    throw invalid(
      "unsupported bundle: webhookDefinitions are not supported: certificate provider is nil: install cert-manager, which issues the certificates of webhooks",
    );
  const modes = supportedModes(bundle);
  if (modes.length === 0) throw invalid("unsupported bundle: bundle must support at least one install mode");
  const config = readBundleConfig({ inline, modes, namespace });
  const problems = bundleProblems(bundle);
  if (problems.length > 0) throw invalid(problems.join("\n"));
  const targets = config.watchNamespaces ?? (modes.includes("AllNamespaces") ? [""] : []);
  const refusal = targetProblem(targets, { modes, namespace });
  if (refusal !== undefined)
    throw invalid(`invalid option(s): invalid target namespaces [${targets.join(" ")}]: ${refusal}`);
  const provider = certificates ?? noCertificates;
  const rendering = { bundle, namespace, targets, certificates: provider, deploymentConfig: config.deploymentConfig };
  return [...plainObjects(rendering), ...webhookObjects(rendering)];
}

function invalid(message: string): ExtensionError {
  return new ExtensionError("InvalidBundle", message);
}

function targetProblem(
  targets: readonly string[],
  { modes, namespace }: { readonly modes: readonly string[]; readonly namespace: string },
): string | undefined {
  const has = (mode: string): boolean => modes.includes(mode);
  const refuse = (what: string): string => `supported install modes [${modes.join(" ")}] do not support ${what}`;
  const set = new Set(targets);
  if (set.size === 0)
    return has("MultiNamespace")
      ? "at least one target namespace must be specified"
      : "exactly one target namespace must be specified";
  if (set.size === 1 && set.has("")) return has("AllNamespaces") ? undefined : refuse("targeting all namespaces");
  if (set.has(namespace) && !has("OwnNamespace")) return refuse("targeting own namespace");
  if (set.size === 1 && (set.has(namespace) || has("SingleNamespace"))) return undefined;
  if (set.size > 1 && has("MultiNamespace") && !set.has("")) return undefined;
  return refuse(`target namespaces [${targets.join(" ")}]`);
}
