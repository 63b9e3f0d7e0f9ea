/** The webhooks of a ClusterServiceVersion, from configurations, CRDs that convert, and the services in front of them. */
import type { Json } from "@capstan/model";
import { compareText, isObject, type JsonObject } from "../decode/json.ts";
import { textAt } from "../read/object.ts";
import { type Collected, listAt, type Manifest, nameOf, specOf } from "./manifest.ts";

/** The definitions, in the order of their names. */
export function webhooksOf(collected: Collected): JsonObject[] {
  const admission = [
    ...collected.validating.flatMap((one) => admissionHooks(one, "ValidatingAdmissionWebhook", collected)),
    ...collected.mutating.flatMap((one) => admissionHooks(one, "MutatingAdmissionWebhook", collected)),
  ];
  return [...admission, ...conversionHooks(collected)].sort((a, b) =>
    compareText(textAt(a, "generateName"), textAt(b, "generateName")),
  );
}

const taken = [
  "rules",
  "failurePolicy",
  "matchPolicy",
  "objectSelector",
  "timeoutSeconds",
  "reinvocationPolicy",
] as const;

function admissionHooks(configuration: Manifest, type: string, collected: Collected): JsonObject[] {
  return listAt(configuration, "webhooks").map((webhook) => {
    const reference = serviceOf(webhook["clientConfig"]);
    const versions = webhook["admissionReviewVersions"];
    return {
      admissionReviewVersions: Array.isArray(versions) && versions.length > 0 ? versions : ["v1beta1"],
      ...reach(reference, collected),
      generateName: textAt(webhook, "name"),
      ...Object.fromEntries(taken.flatMap((name) => (webhook[name] === undefined ? [] : [[name, webhook[name]]]))),
      sideEffects: webhook["sideEffects"] ?? "None",
      type,
      ...(reference?.["path"] === undefined ? {} : { webhookPath: reference["path"] }),
    };
  });
}

function serviceOf(clientConfig: Json | undefined): JsonObject | undefined {
  const service = isObject(clientConfig) ? clientConfig["service"] : undefined;
  return isObject(service) ? service : undefined;
}

/** The deployment and port behind a service. */
function reach(reference: JsonObject | undefined, { services, deployments }: Collected): JsonObject {
  if (reference === undefined) return {};
  const name = textAt(reference, "name");
  const wanted = reference["port"] ?? 443;
  const service = services.find((one) => nameOf(one) === name);
  const port = service && listAt(specOf(service), "ports").find((one) => one["port"] === wanted);
  const deployment = service && deployments.find((one) => selects(specOf(service)["selector"], one));
  return {
    ...(port === undefined ? {} : { containerPort: wanted }),
    deploymentName: deployment === undefined ? name.replace(/-service$/, "") : nameOf(deployment),
    ...(port === undefined ? {} : { targetPort: port["targetPort"] ?? wanted }),
  };
}

function selects(selector: Json | undefined, deployment: Manifest): boolean {
  const template = specOf(deployment)["template"];
  const metadata = isObject(template) && isObject(template["metadata"]) ? template["metadata"] : {};
  const labels = isObject(metadata["labels"]) ? metadata["labels"] : {};
  const wanted = isObject(selector) ? Object.entries(selector) : [];
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

/** CRDs that are converted by the same service at the same path share a definition. */
function conversionHooks(collected: Collected): JsonObject[] {
  const groups = new Map<string, { readonly crds: string[]; readonly webhook: JsonObject }>();
  for (const crd of collected.crds) {
    const conversion = specOf(crd)["conversion"];
    const webhook = isObject(conversion) ? conversion["webhook"] : undefined;
    const service = isObject(webhook) ? serviceOf(webhook["clientConfig"]) : undefined;
    if (service === undefined || !isObject(webhook)) continue;
    const key = `${textAt(service, "name")} ${JSON.stringify(service["port"] ?? 443)} ${textAt(service, "path")}`;
    const group = groups.get(key) ?? { crds: [], webhook };
    group.crds.push(nameOf(crd));
    groups.set(key, group);
  }
  return [...groups.values()].map(({ crds, webhook }) => conversionHook(crds.sort(compareText), webhook, collected));
}

function conversionHook(crds: readonly string[], webhook: JsonObject, collected: Collected): JsonObject {
  const service = serviceOf(webhook["clientConfig"]);
  const [first = ""] = crds;
  return {
    admissionReviewVersions: webhook["conversionReviewVersions"] ?? ["v1"],
    ...reach(service, collected),
    conversionCRDs: crds,
    generateName: `c${first}`,
    sideEffects: "None",
    type: "ConversionWebhook",
    ...(service?.["path"] === undefined ? {} : { webhookPath: service["path"] }),
  };
}

/** A CRD without its conversion: OLM fills it in and rejects a bundle with another one. */
export function withoutConversion(crd: Manifest): Manifest {
  const { conversion, ...spec } = specOf(crd);
  return isObject(conversion) && conversion["strategy"] === "Webhook" ? { ...crd, spec } : crd;
}
